"""Any OpenAI-compatible server as embedder and writer, Ollama included."""

from shared.adapters.openai.embedder import OpenAIEmbedder
from shared.adapters.openai.writer import OpenAIWriter

__all__ = ["OpenAIEmbedder", "OpenAIWriter"]
