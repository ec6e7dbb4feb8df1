"""The backend of acp_nvim, which makes Neovim a client of the Agent Client Protocol."""

__version__ = "1.0.0"
