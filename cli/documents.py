"""The PDFs that notes came from, in the browser's own reader: what a citation opens is the page it is on.

Asked for by the id of a note, never by a path: there is nothing to serve but what was indexed into this home.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from werkzeug.utils import send_file
from werkzeug.wrappers import Request, Response

from cli.sync.note_files import FolderFiles
from functions.http.errors import body_of, kind_of
from shared.errors import NotFound

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

PREFIX = "/documents/"


def with_documents(site: WSGIApplication, files: FolderFiles) -> WSGIApplication:
    """`site`, with the documents of this tenant's notes before it."""

    def served(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        request = Request(environ)
        if request.method not in {"GET", "HEAD"} or not request.path.startswith(PREFIX):
            return site(environ, start_response)
        return _document(request, files)(environ, start_response)

    return served


def _document(request: Request, files: FolderFiles) -> Response:
    note_id = request.path.removeprefix(PREFIX)
    file = files.pdf(note_id)
    if file is None:
        missing = NotFound(f"note {note_id!r} came from no PDF that is in its folder")
        return Response(json.dumps(body_of(missing)), kind_of(missing).code, mimetype="application/json")
    response = send_file(file, request.environ, mimetype="application/pdf", download_name=file.name)
    response.headers["Cache-Control"] = "no-cache"
    response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    response.headers["X-Frame-Options"] = "DENY"  # no other page shows it as its own
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response
