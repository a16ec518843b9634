"""Conversations: a question with what earlier turns left unsaid -> the whole question; the answered turn -> stored."""
