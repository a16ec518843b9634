"""What `aurora doctor` checks: settings, models, a server, a Google Cloud project."""
