"""Conversations: a question with what earlier turns left unsaid -> the question as a whole; the answered turn -> stored."""
