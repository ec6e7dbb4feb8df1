"""What `make demo` plays without a terminal comes to its end, and shows what it promises."""

import os
import subprocess
import sys
from pathlib import Path

from tests.functional.editor import ROOT


def test_the_story_of_the_demo(program: Path, tmp_path: Path) -> None:
    played = subprocess.run(
        [sys.executable, ROOT / "tests/tools/story.py", program],
        env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TMPDIR": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert played.returncode == 0, played.stdout + played.stderr
    shown = played.stdout
    for part in (
        '    print(greet(name))                 #     print(welcome(name) + "!")',  # the mixed decision
        "reported to Demo: 1 hunk of ",  # what the agent is told of it
        "notes.md:1  +1 -0",  # the review
    ):
        assert part in shown
    assert shown.endswith("`make demo` opens it for you.\n")
    assert list(tmp_path.glob("tmp*")) == []  # its scratch folder
