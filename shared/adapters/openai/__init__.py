"""Any OpenAI-compatible server as embedder and writer, Ollama included."""

from shared.adapters.openai.models import OpenAIEmbedder, OpenAIWriter

__all__ = ["OpenAIEmbedder", "OpenAIWriter"]
