"""The mark `contract` is on the tests that name no part of the product."""

from pathlib import Path

import pytest

from tests.contract import internal_names

MODULE = '''
from acp_nvim.protocol.errors import INTERNAL_ERROR
from acp_nvim.serves import ledger
import acp_nvim.host

STATE = "return require('acp_nvim.backend.session_store').count()"
LOADED = """return package.loaded["acp_nvim.config.schema"]"""
CALL = "local m = ... return require('acp_nvim.' .. m)"
SOURCE = "require('acp_nvim.sources.cmp').new()"
STATUS = "return require('acp_nvim').status()"

def state(editor): return editor.lua(STATE)

def test_state(editor): assert state(editor) == 1
def test_loaded(editor): editor.lua(LOADED)
def test_call(editor): editor.lua(CALL, "files")
def test_bound(monkeypatch): monkeypatch.setattr(ledger, "MOST", 1)
def test_host(): acp_nvim.host.Host()
def test_status(editor): assert editor.lua(STATUS)
def test_source(editor): editor.lua(SOURCE)
async def test_error(desk): assert await desk.error() == INTERNAL_ERROR
'''


@pytest.fixture
def internal(tmp_path: Path) -> set[str]:
    path = tmp_path / "test_it.py"
    path.write_text(MODULE)
    return {name for name in internal_names(path) if name.startswith("test_")}


def test_what_names_a_part_of_the_product_is_not_the_contract(internal: set[str]):
    assert internal == {"test_state", "test_loaded", "test_call", "test_bound", "test_host"}
