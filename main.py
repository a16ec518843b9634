"""Entry points that Cloud Functions loads, one for each deployed function.

Its buildpack looks for this file beside requirements.txt.
"""

import gc
import os

import flask
import functions_framework
from werkzeug.exceptions import HTTPException

from functions.api import api
from functions.chat import chat
from functions.http.serving import refused_by_host
from functions.on_note_write import on_note_write
from functions.on_template_write import on_template_write
from functions.reconcile import reconcile
from shared.adapters import extras
from shared.settings import Settings

__all__ = ["api", "chat", "on_note_write", "on_template_write", "reconcile"]

# Loading the SDKs makes 200,000 objects that stay: looking for garbage among them takes 100 ms of a cold start.
# A question leaves a few hundred behind, most of them in caches.
gc.set_threshold(250_000)

if flask.has_app_context():  # the host loads this file in its own
    functions_framework.errorhandler(HTTPException)(refused_by_host)
    functions_framework.errorhandler(500)(refused_by_host)  # in the place of the host's own

if os.environ.get("K_SERVICE"):
    extras.check(
        Settings.from_env(os.environ),
    )  # a revision with a bad setting must not go live as healthy
