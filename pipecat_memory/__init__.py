"""Memory for voice agents: what was really said and heard, at no cost to the caller."""
