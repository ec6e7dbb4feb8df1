"""Serves the editor's tools: an MCP server for each session, which any agent can start."""
