from tests.functions.conftest import clients, embedder, world

__all__ = ["clients", "embedder", "world"]
