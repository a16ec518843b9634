"""In which vaults and folders to look: choice -> ranking -> places -> search."""
