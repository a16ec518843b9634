"""Gemini as embedder and writer, with an API key or through Vertex AI."""

from shared.adapters.gemini.models import DEFAULT_CHAT_MODEL, DEFAULT_EMBEDDING_MODEL, GeminiEmbedder, GeminiWriter

__all__ = ["DEFAULT_CHAT_MODEL", "DEFAULT_EMBEDDING_MODEL", "GeminiEmbedder", "GeminiWriter"]
