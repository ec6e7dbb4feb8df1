"""Our scripts run with what macOS brings: bash 3.2, GNU make 3.81, and the tools of BSD."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted([*ROOT.glob("tests/tools/*.sh"), *ROOT.glob(".github/*.sh")])
# Scripts, and the part from a line to the end, that no macOS reaches. The reason stands behind.
SKIPPED = {
    "get-nvim.sh": ("exec 9>", "it has stopped before where there is no apt"),
    "apt.sh": ("private_apt() {", "called where there is apt"),
    "without-proc.sh": ("set -euo", "it makes a Linux look like macOS"),
}


class Missing(NamedTuple):
    """What macOS does not have."""

    pattern: str
    what: str
    example: str  # that the pattern finds


MISSING = [
    Missing(r"\b(?:mapfile|readarray|coproc)\b", "bash 4", "mapfile -t lines <file"),
    Missing(r"\b(?:declare|local|typeset|readonly) +-\w*[Agn]", "bash 4", "declare -A ages"),
    Missing(r"\$\{\w+(?:\[[^]]*\])?(?:,|\^|@[A-Za-z]\})", "bash 4", 'echo "${name,,}"'),
    Missing(r"\|&|&>>|;;&|;&(?!&)", "bash 4", "make |& tee log"),
    Missing(r"\$\{?(?:EPOCH|BASHPID|SRANDOM)", "bash 4 or 5", "$EPOCHSECONDS"),
    Missing(r"\[\[? +-[vR] ", "bash 4.2", "[[ -v name ]]"),
    Missing(r"\$\{\w+\[-\d+\]|\$\{\w+:\S*: -\d", "bash 4.3", "${list[-1]}"),
    Missing(r"\bwait +-[npf]\b|\bshopt +-s +(?:globstar|lastpipe)", "bash 4", "wait -n"),
    Missing(r"\{[0-9]+\.\.[0-9]+\.\.|\{0[0-9]+\.\.", "bash 4", "{1..9..2}"),
    Missing(r"\bexec +\{\w+\}", "bash 4.1", "exec {lock}>file"),
    Missing(r"\bprintf +[^|]*%\([^)]*\)T", "bash 4.2", "printf '%(%F)T'"),
    Missing(r"\bread +-\w*[iN]\b", "bash 4", "read -N 3 word"),
    Missing(r"\bsed +(?:-\w+ +)*(?:-i(?!'')|-\w*r\b|--)", "GNU sed", "sed -i s/a/b/ file"),
    Missing(r"\bsed\b.*\\[+?|]", "GNU sed", r"sed 's/a\+/b/'"),
    Missing(r"\bgrep +(?:-\w+ +)*-\w*P", "GNU grep", "grep -oP x file"),
    Missing(r"\bstat +(?:-c|--)", "GNU stat", "stat -c %s file"),
    Missing(r"\breadlink +-[em]|\brealpath\b", "GNU readlink", "readlink -e file"),
    Missing(r"\bdate +(?:-d|--|\S*%N)", "GNU date", "date -d yesterday"),
    Missing(r"\bmktemp +.*(?:--|-p)", "GNU mktemp", "mktemp --suffix=.log"),
    Missing(r"\bxargs +(?:-\w+ +)*(?:-r|-d|-a|--)", "GNU xargs", "xargs -r rm"),
    Missing(r"\bfind\b.* -(?:printf|regextype|executable|readable)\b", "GNU find", "find . -printf %p"),
    Missing(r"\bfind +-", "GNU find", "find -name x"),
    Missing(
        r"\bcp +(?:-\w+ +)*(?:-\w*[tT]\b|--)|\bln +(?:-\w+ +)*-\w*[rT]", "GNU cp, ln", "cp -t folder file"
    ),
    Missing(r"\b(?:head|tail) +(?:-n +|-c +|-)\S*-\d|\bhead +-n +-", "GNU head", "head -n -1 file"),
    Missing(r"\btar\b.* --(?!strip-components|exclude)", "GNU tar", "tar --transform x"),
    Missing(
        r"(?:^|[|&;(]|\b(?:then|do|else|if|exec|while) |! ) *"
        r"(?:timeout|tac|nproc|sha256sum|md5sum|setsid|shuf|numfmt|ldd|pidof)\b",
        "GNU coreutils or Linux",
        "x=1; timeout 5 make",
    ),
    Missing(r"/proc/|/dev/shm", "Linux", "cat /proc/cpuinfo"),
    Missing(r"^(?!.*command -v flock.*).*\bflock\b", "util-linux", "flock 9"),
]


def commands(text: str) -> Iterator[tuple[int, str]]:
    """Yield numbers and lines without comments."""
    for number, line in enumerate(text.splitlines(), 1):
        yield number, re.sub(r"(?:^|\s)#.*", "", line)


def reached(script: Path) -> str:
    text = script.read_text()
    start, _ = SKIPPED.get(script.name, ("", ""))
    assert start in text, f"SKIPPED names a line that {script.name} has no more"
    return text[: text.index(start)] if start else text


@pytest.mark.parametrize("missing", MISSING, ids=lambda missing: missing.example)
def test_a_pattern_finds_its_example(missing: Missing):
    assert re.search(missing.pattern, missing.example)


@pytest.mark.parametrize("script", [*SCRIPTS, ROOT / "Makefile"], ids=lambda script: script.name)
def test_macos_has_what_a_script_uses(script: Path):
    found = [
        f"{script.name}:{number}: {missing.what}: {line.strip()}"
        for number, line in commands(reached(script))
        for missing in MISSING
        if re.search(missing.pattern, line)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_the_first_line_asks_for_the_bash_on_path(script: Path):
    """Of a file that is sourced shellcheck is told what it is in."""
    assert script.read_text().startswith(("#!/usr/bin/env bash\n", "# shellcheck shell=bash\n"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_an_array_that_may_be_empty_is_not_expanded(script: Path):
    """To bash 3.2 an empty array is an unset variable, and scripts run under `set -u`."""
    text = reached(script)
    if not re.search(r"^set -\w*u", text, re.MULTILINE):
        return
    empty = set(re.findall(r"(?<![\w.])(\w+)=\(\)", text))
    expanded = set(re.findall(r"\$\{!?(\w+)\[[@*]\]", text))
    # `run` fills these before they are read
    assert empty & expanded <= ({"names", "pids"} if script.name == "check.sh" else set())


def test_the_makefile_has_what_make_3_81_knows():
    """Later: `export` and `private` for one target, `!=`, `.ONESHELL`, `$(file …)`, `define NAME =`, `::=`."""
    later = (
        r"^[\w-]+: *(?:export|private) |^\w+ *(?:!=|::=)|\.ONESHELL|\$\(file |^define \w+ *[:+]?=|\$\(guile "
    )
    assert re.search(later, (ROOT / "Makefile").read_text(), re.MULTILINE) is None


def test_shellcheck_finds_nothing():
    if not (shellcheck := shutil.which("shellcheck")):
        pytest.skip("no shellcheck on PATH")
    names = [str(script.relative_to(ROOT)) for script in [*SCRIPTS, ROOT / ".ci/run"]]
    run = subprocess.run([shellcheck, "-x", *names], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout


def test_without_apt_a_line_says_how_to_get_neovim(tmp_path: Path):
    for name in ("bash", "basename", "cat", "dirname", "mkdir"):
        (tmp_path / name).symlink_to(str(shutil.which(name)))
    command = [ROOT / "tests/tools/get-nvim.sh", "sid", tmp_path / "nvim"]
    run = subprocess.run(command, env={"PATH": str(tmp_path)}, capture_output=True, text=True)
    assert run.returncode == 1
    assert re.fullmatch(r".*brew install neovim.*NVIM=/path/to/nvim\n", run.stderr)
