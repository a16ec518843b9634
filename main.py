"""What Cloud Functions loads: its buildpack looks for this file beside requirements.txt."""
