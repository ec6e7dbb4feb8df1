"""Handles requests that need the user: permissions, the rules that decide them, forms, and the log of decisions."""
