"""The agent's process: started, fed, read in the order of the wire, and ended for certain."""
