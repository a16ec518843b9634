"""Conversations: follow-up + earlier turns -> a question that stands alone; an answered turn ->
stored messages.
"""
