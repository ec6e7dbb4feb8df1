"""Real Neovims as in tests/functional."""

from tests.functional.conftest import manifest, open_editor, pytest_generate_tests

__all__ = ["manifest", "open_editor", "pytest_generate_tests"]
