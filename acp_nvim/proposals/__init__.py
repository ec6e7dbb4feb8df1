"""Handles what an agent asks to change: shown before it happens, decided hunk by hunk, and enforced."""
