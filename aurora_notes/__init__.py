"""The name under which the product is installed.

In a checkout it holds no more than the entry point of the `aurora` command. In the wheel all packages lie in it, with
the files that they read: release/backend.py puts them there.
"""
