"""What events missed: notes whose index does not follow them, and what comes of them.

reconcile finds the keys -> repair indexes them -> progress remembers where the next call goes on
"""
