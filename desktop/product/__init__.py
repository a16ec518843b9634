"""The product running on this machine: its store or emulator, its trigger, its page, and how commands find it."""
