"""What the client does for the agent, one module a capability."""
