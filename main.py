"""What Cloud Functions loads: its buildpack looks for this file beside requirements.txt. One function a deployment."""

import os

import flask
import functions_framework

from functions.api import api
from functions.chat import chat
from functions.http.serving import not_routed
from functions.on_note_write import on_note_write
from functions.on_template_write import on_template_write
from functions.reconcile import reconcile
from shared.adapters import extras
from shared.settings import Settings

__all__ = ["api", "chat", "on_note_write", "on_template_write", "reconcile"]

if flask.has_app_context():  # the host loads this file in its own
    functions_framework.errorhandler(404)(not_routed)

if os.environ.get("K_SERVICE"):
    extras.check(Settings.from_env(os.environ))  # a revision with a bad setting must not go live as healthy
