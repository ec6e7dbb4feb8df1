"""What git tells us of a repository, and that nothing runs which the repository names."""

import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.fakes.script import mark, on_prompt, script, wait_file, wait_until, write_file
from tests.functional.editor import Editor
from tests.steps.conversation import expect_key
from tests.steps.files import get_answers, open_notes, read, write

Open = Callable[..., Editor]
ATTRIBUTES = "*.txt filter=evil diff=evil\n"
CONFIG = """
[core]
    fsmonitor = {trap} fsmonitor
    hooksPath = {hooks}
    sshCommand = {trap} ssh
    pager = {trap} pager
    gitProxy = {trap} proxy
[pager]
    diff = {trap} pager
    status = {trap} pager
[filter "evil"]
    clean = {trap} clean
    smudge = {trap} smudge
    required = true
[diff]
    external = {trap} external
    submodule = log
[diff "evil"]
    textconv = {trap} textconv
    command = {trap} driver
[credential]
    helper = !{trap} credential
[alias]
    status = !{trap} alias
    diff = !{trap} alias
    ls-files = !{trap} alias
[remote "origin"]
    url = {cwd}
    promisor = true
    partialclonefilter = blob:none
    uploadpack = {trap} uploadpack
"""


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=n", "-c", "user.email=e@e", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def trap(tmp_path: Path) -> tuple[Path, Path]:
    """A program that writes down what it was run as, and hands its input on; where it writes that."""
    program, marks = tmp_path / "trap", tmp_path / "marks"
    program.write_text(f'#!/bin/sh\necho "$1" >>{marks}\nexec cat "${{2:--}}"\n')
    program.chmod(0o755)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("post-index-change", "reference-transaction", "pre-auto-gc"):
        (hooks / name).write_text(f"#!/bin/sh\necho {name} >>{marks}\n")
        (hooks / name).chmod(0o755)
    return program, marks


def repository(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "all")
    # many repositories share a part of their configuration in this way
    git(folder, "config", "include.path", "../shared.inc")


def test_nothing_runs_that_the_repository_names(open_editor: Open, tmp_path: Path) -> None:
    """The agent has the right to write files below its folder, and no other."""
    program, marks = trap(tmp_path)
    go = tmp_path / "go"
    agent = script(
        tmp_path,
        on_prompt(
            "set",
            write(
                "{cwd}/shared.inc",
                CONFIG.replace("{trap}", str(program)).replace("{hooks}", str(tmp_path / "hooks")),
            ),
            write("{cwd}/.gitattributes", ATTRIBUTES),
            write("{cwd}/a.txt", "ALPHA\n"),  # of the same size: git has to compare
        ),
        on_prompt("work", mark("begun"), wait_file(str(go)), write_file("{cwd}/late.md", "behind\n")),
        on_prompt("", read("{cwd}/a.txt")),
    )
    editor = open_notes(open_editor, agent, size=(140, 40))
    repository(editor.project, a__txt="alpha\n", late__md="before\n", lost__txt="lost\n")
    editor.acp("prompt", "set")
    editor.wait_event("AcpTurnEnded")

    assert get_answers(agent) == [{}, {}, {}]

    editor.acp("prompt", "work")
    wait_until(lambda: agent.logged("mark"))
    editor.type(":split late.md<CR>")
    editor.expect_lua("return vim.fn.getline(1)", "before")
    go.touch()
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua("return vim.fn.getline(1)", "behind")  # git has told of it
    editor.type(":Acp add diff<CR>")
    editor.screen.expect("added diff 4 lines to the prompt")  # of a.txt and of late.md
    editor.type(":Acp<CR>ithe file @la")
    editor.expect_lua("return #vim.fn.complete_info({ 'items' }).items > 0", True)  # listed by git
    editor.type("<C-e><Esc>")
    assert not marks.exists()

    blob = git(editor.project, "rev-parse", "HEAD:lost.txt").strip()
    (editor.project / ".git/objects" / blob[:2] / blob[2:]).unlink()
    (editor.project / "lost.txt").write_text("LOST\n")
    editor.acp("prompt", "read")  # a look at what is changed must not fetch what is missing
    editor.wait_event("AcpTurnEnded")
    editor.type(":messages clear<CR>:Acp add diff<CR>")
    editor.screen.expect("git has no diff")
    assert not marks.exists()

    subprocess.run(["git", "status"], cwd=editor.project, capture_output=True, check=False)
    subprocess.run(["git", "diff", "HEAD"], cwd=editor.project, capture_output=True, check=False)
    assert {"fsmonitor", "clean"} <= set(marks.read_text().split())  # it was a trap


def test_what_git_keeps_is_outside(open_editor: Open, tmp_path: Path) -> None:
    """By its name, in other letters, behind a link, and where a file says that it lies elsewhere."""
    paths = [".git/config", ".GIT/hooks/pre-commit", "link/config", "kept/config", "down/.git"]
    agent = script(
        tmp_path,
        on_prompt("", *(write(f"{{cwd}}/{path}", "evil\n") for path in paths), read("{cwd}/.git/HEAD")),
    )
    editor = open_notes(open_editor, agent, size=(140, 40))
    repository(editor.project, a__txt="alpha\n")
    git(editor.project, "init", "-q", "--separate-git-dir", "kept", "down")
    (editor.project / "link").symlink_to(".git")
    before = {
        path: (editor.project / path).read_text() for path in (".git/config", "kept/config", "down/.git")
    }
    editor.type(":Acp<CR>")
    editor.acp("prompt", "go")
    for _ in (*paths, "HEAD"):
        editor.wait_event("AcpQuestion")
        assert editor.acp("questions")[0]["kind"] == "outside"
        editor.screen.expect("in a git folder")
        expect_key(editor, "1")
        editor.type(":Acp reject<CR>")
        editor.wait_event("AcpAnswered")
    editor.wait_event("AcpTurnEnded")
    assert [answer["code"] for answer in get_answers(agent)] == [-32603] * 5 + [-32002]
    assert before == {path: (editor.project / path).read_text() for path in before}
    assert not (editor.project / ".GIT").exists()


def test_a_folder_that_comes_into_the_place_of_a_root_opens_nothing(
    open_editor: Open, tmp_path: Path
) -> None:
    """A link, and another folder under the same name."""
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    (secrets / "key").write_text("s3cret\n")
    go = [tmp_path / "linked", tmp_path / "moved"]
    looks = [
        (mark("next"), wait_file(str(each)), read("{cwd}/key"), write("{cwd}/key", "evil\n")) for each in go
    ]
    agent = script(tmp_path, on_prompt("", read("{cwd}/notes.txt"), *looks[0], *looks[1]))
    editor = open_notes(open_editor, agent, setup={"fs": {"outside": "deny"}})
    editor.acp("prompt", "go")
    wait_until(lambda: len(agent.logged("mark")) == 1)
    editor.project.rename(tmp_path / "aside")
    editor.project.symlink_to(secrets)
    go[0].touch()
    wait_until(lambda: len(agent.logged("mark")) == 2)
    editor.project.unlink()
    secrets.rename(editor.project)
    go[1].touch()
    editor.wait_event("AcpTurnEnded")
    assert get_answers(agent)[0] == {"content": "one\ntwo\nthree\n"}
    assert [answer.get("code") for answer in get_answers(agent)[1:]] == [-32002, -32603] * 2
    assert (editor.project / "key").read_text() == "s3cret\n"
