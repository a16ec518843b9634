"""Every speed figure of the product: `python -m bench`."""
