"""acp_nvim: Neovim as a client of the Agent Client Protocol. Everything that decides lives here, in Python."""

__version__ = "0.1.0"
