"""The harness of the functional tests: what they see is what a user of Neovim would see."""

import os
import signal
import time

import pytest

from tests.fakes.script import wait_until
from tests.functional.editor import wait_for_end

pytestmark = pytest.mark.every_nvim


def test_typed_text_is_on_the_screen_with_cursor_and_mode(editor, screen):
    editor.type("ihello, Größe 世界!")
    screen.expect("hello, Größe 世界!")
    screen.expect(lambda s: s.mode == "insert" and s.cursor == (0, 18))
    assert screen.find("界") == (0, 15)
    assert screen.lines()[0] == "hello, Größe 世界!"
    editor.type("<Esc>dd")
    screen.expect_gone("hello")


def test_highlight_is_the_one_a_user_sees(editor, screen):
    editor.type(
        ":hi Zed guifg=#ff0000 gui=bold<CR>:call setline(1, '世 agent says hi')<CR>:match Zed /says/<CR>"
    )
    screen.expect(lambda s: "says" in s.text() and s.attrs("says").get("foreground") == 0xFF0000)
    assert screen.attrs("says")["bold"] is True
    assert screen.attrs("agent").get("foreground") != 0xFF0000
    assert screen.attrs("hi").get("foreground") != 0xFF0000


def test_scrolling_keeps_the_grid_true(editor, screen):
    editor.lua(
        "vim.api.nvim_buf_set_lines(0, 0, -1, true, vim.fn.map(vim.fn.range(200), '\"line \" .. v:val'))"
    )
    editor.type("G")
    screen.expect("line 199")
    editor.type("<C-y><C-y>")
    screen.expect(lambda s: s.lines()[:28] == [f"line {n}" for n in range(170, 198)])
    assert "line 199" not in screen.text()


def test_a_failing_expectation_shows_the_screen(editor, screen):
    editor.type("isomething else")
    screen.expect("something else")
    with pytest.raises(
        AssertionError, match=r"'nothing like it'[\s\S]*\|something else +\|[\s\S]*mode insert"
    ):
        screen.expect("nothing like it", timeout=0.05)
    with pytest.raises(AssertionError, match=r"returns 1, not 2[\s\S]*\|something else +\|"):
        editor.expect_lua("return 1", 2, timeout=0.05)


def test_a_condition_in_lua_is_waited_for(editor):
    editor.lua("vim.defer_fn(function() vim.g.answer = { 6, 7 } end, 50)")
    assert editor.expect_lua("return vim.g.answer", [6, 7]) == [6, 7]
    assert editor.expect_lua("return vim.g.answer[2] * ...", lambda value: value > 40, 6) == 42


def test_events_are_recorded_with_their_data_in_order(editor):
    fire = "vim.api.nvim_exec_autocmds('User', { pattern = ..., data = select(2, ...) })"
    for number in (1, 2, 3):
        editor.lua(fire, "AcpGroundTest", {"session": number})
    editor.lua(fire, "AcpOther", {})
    assert editor.wait_event("AcpGroundTest") == {"session": 1}
    assert editor.wait_event("AcpGroundTest", session=3) == {"session": 3}
    editor.wait_event("AcpOther")
    assert [data["session"] for _, data in editor.events("AcpGroundTest")] == [1, 2, 3]
    with pytest.raises(AssertionError, match=r"no AcpGroundTest within[\s\S]*'session': 2"):
        editor.wait_event("AcpGroundTest", timeout=0.05)


def test_neovim_has_a_home_of_its_own_and_the_plugin_on_its_path(editor):
    assert editor.lua("return vim.fn.expand('~')") == str(editor.home)
    assert editor.lua("return vim.fn.getcwd()") == str(editor.project)
    assert editor.lua("return vim.fn.stdpath('data')").startswith(str(editor.home))
    assert editor.lua("return #vim.api.nvim_get_runtime_file('lua/acp_nvim', true)") == 1
    assert editor.lua("return vim.env.NVIM_LISTEN_ADDRESS") is None


def test_init_and_size_are_the_tests_to_choose(open_editor):
    editor = open_editor(init="vim.o.laststatus = 0; vim.g.seen = vim.g.acp_nvim.backend", size=(40, 10))
    assert editor.lua("return vim.g.seen") == "job"
    assert len(editor.screen.lines()) == 10
    assert editor.lua("return vim.o.columns") == 40


@pytest.mark.backends
def test_the_plugin_comes_up_in_the_backend_that_the_test_asks_for(open_editor, backend):
    editor = open_editor(setup={"default_agent": "demo"})
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    assert editor.acp("status")["agent"] == "demo"
    channels = editor.lua(
        "return vim.tbl_map(function(one) return one.argv or {} end, vim.api.nvim_list_chans())"
    )
    started = [argv for argv in channels if argv]
    assert [argv[-2:] == ["-m", "acp_nvim"] for argv in started] == [backend == "job"]


def test_a_second_client_feels_a_busy_editor(editor):
    with editor.second_client() as probe:
        editor.lua("vim.uv.sleep(400)")  # some of it is not counted where other processes have the processors
    assert probe.percentile(100) >= 80
    assert len(probe.waits) > 1
    assert probe.percentile(1) < 80


def test_a_surviving_process_is_found_whatever_became_of_its_parents(open_editor):
    editor = open_editor()
    orphan = editor.lua("return vim.fn.jobpid(vim.fn.jobstart({ 'sleep', '60' }, { detach = true }))")
    wait_until(lambda: editor.pids() == [orphan])  # it has our environment once it has become `sleep`
    assert editor.kill(signal.SIGKILL) == -signal.SIGKILL
    with pytest.raises(AssertionError, match="sleep 60"):
        editor.assert_no_orphans(timeout=0.05)
    os.kill(orphan, signal.SIGTERM)
    assert wait_for_end(orphan, 5)
    editor.assert_no_orphans()


def test_an_editor_at_a_prompt_can_still_be_ended(open_editor):
    editor = open_editor()
    editor.type(":call getchar()<CR>")
    started = time.monotonic()
    assert editor.quit() == 0
    assert time.monotonic() - started < 5
