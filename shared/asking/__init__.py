"""The path of one question, the same for every front door (HTTP, GraphQL, MCP, the command), whole or streamed.

    turn.run_turn   begin           requestId -> the answer it already has; session -> its settings; the tenant's day
                    contextualize   follow-up -> a question that stands alone           sessions.service
    turn.events_of  retrieve        question -> passages, everywhere or in folders      search, retrieval or folders
                    write           passages -> draft -> citations -> support           answering.pipeline, as events
    turn.run_turn   record          answer -> the JSON clients read -> the session's turn, and what a repeat gets
                    measure         answer -> figures of the log line

Sessions, retrieval and answering meet here: none of them calls another. A front door makes a `TurnRequest` and sends
the events on, or only the last of them.
"""
