"""Gemini as embedder and writer, with an API key or through Vertex AI."""

from shared.adapters.gemini.embedder import GeminiEmbedder
from shared.adapters.gemini.writer import GeminiWriter

__all__ = ["GeminiEmbedder", "GeminiWriter"]
