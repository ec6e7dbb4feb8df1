"""One running agent process and the sessions in it: how they begin, and how a prompt becomes a turn."""
