"""Finds and repairs what events missed: notes whose index does not follow them.

reconcile finds the keys and remembers where the next call goes on -> repair indexes them
"""
