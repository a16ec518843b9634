"""The path of one question, for every front door, as a whole answer or as a stream.

Front doors are HTTP, GraphQL, MCP and the command.

    turn.run_turn    begin          requestId -> the answer it already has; session -> its settings
                     standalone     follow-up -> a question that stands alone    (sessions.service)
    turn.events_of   retrieve       question -> passages, everywhere or in folders         (passages)
                     write          passages -> draft -> citations -> support  (answering.pipeline)
    turn.run_turn    record         answer -> stored answer -> the session's turn, and a repeat's
                     measure        answer -> figures of the log line

Sessions, retrieval and answering meet here: none of them calls another. A front door makes a
`TurnRequest`, turns the events into JSON (`shared.api.stream`), and sends all of them or the last.
"""
