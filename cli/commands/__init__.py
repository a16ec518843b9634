"""The commands: one file each, or one for commands that share their work."""
