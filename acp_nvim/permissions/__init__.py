"""Requests that need the user: permissions, rules that decide them, forms, and the log of decisions."""
