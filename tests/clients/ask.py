"""An app's client made by openapi-python-client, in a folder of its own: asks, reads a refused request, searches.

Usage: ask.py ADDRESS MESSAGE. Prints what it got as JSON.
"""

from __future__ import annotations

import json
import sys

from aurora_notes_client import Client  # type: ignore[import-not-found]
from aurora_notes_client.api.chat import chat_ask  # type: ignore[import-not-found]
from aurora_notes_client.api.search import search_search  # type: ignore[import-not-found]
from aurora_notes_client.models import (  # type: ignore[import-not-found]
    AnswerJson,
    CallableTokenLine,
    ChatBody,
    ErrorJson,
    SearchBody,
    SearchJson,
)


def main(address: str, message: str) -> None:
    client = Client(base_url=address, timeout=30.0)
    answer = chat_ask.sync(client=client, body=ChatBody(message=message))
    refused = chat_ask.sync(client=client, body=ChatBody(message=""))
    search_results = search_search.sync(client=client, body=SearchBody(query=message))
    assert isinstance(answer, AnswerJson)
    assert isinstance(refused, ErrorJson)
    assert isinstance(search_results, SearchJson)
    words = ""
    request = {"json": {"data": {"message": message}}, "headers": {"Accept": "text/event-stream"}}
    with client.get_httpx_client().stream("POST", "/chat", **request) as reply:
        for line in filter(None, reply.iter_lines()):
            row = json.loads(line.removeprefix("data: "))
            if row.get("message", {}).get("type") == "token":
                words += CallableTokenLine.from_dict(row).message.text
    print(
        json.dumps(
            {
                "answer": answer.answer,
                "cited": [citation.note_id for citation in answer.citations],
                "field": refused.error.details[0].metadata.additional_properties["field"],
                "found": [result.note_id for result in search_results.results],
                "words": words,
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
