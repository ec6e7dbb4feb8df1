"""What the client does for the agent."""
