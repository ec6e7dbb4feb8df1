"""The backend of acp_nvim, which makes Neovim a client of the Agent Client Protocol."""

__version__ = "0.1.0"
