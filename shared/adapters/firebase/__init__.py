"""Firebase's tokens: who calls (Authentication), and from which app (App Check)."""
