"""One question's way, the same for every front door (`/chat`, `/ask`, GraphQL, MCP, the command), whole or streamed.

    turn.take   begin      requestId -> the answer it already has; session -> its settings; the tenant's day
                whole      follow-up -> the whole question                      sessions.service
    answer      retrieve   question -> passages, everywhere or in folders      search, retrieval or folders
                write      passages -> draft -> citations -> support           answering.pipeline, as events
    turn.take   record     answer -> the JSON clients read -> the session's turn, and what a repeat gets

Sessions, retrieval and answering meet here: none of them calls another. A front door makes an `Asked` of a request
and sends the events on, or only the last of them.
"""
