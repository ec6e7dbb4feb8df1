"""Where a path or a glob may lead, whatever the tool that gets it makes of it."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim import limits
from acp_nvim.session.glob_reach import Place, reach, readings

HOME = os.path.expanduser("~")


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("src/a.py", [("src/a.py", False)]),
        ("src/**/*.py", [("src/", True)]),
        ("*.{ts,tsx}", [("", True)]),
        ("{src,../etc}/*.key", [("src/", True), ("../etc/", True)]),
        ("{{a,},b}/etc", [("a/etc", False), ("/etc", False), ("b/etc", False)]),
        ("{1..3}/x", [("1..3/x", False)]),
        ("@(..|b)/c", [("../c", False), ("b/c", False)]),
        ("?(../)x", [("../x", False), ("x", False)]),
        ("+(.)/x", [("./x", False), ("../x", False)]),
        ("a/.{.,b}/c", [("a/../c", False), ("a/.b/c", False)]),
        ("[/]etc/shadow", [("/etc/shadow", False)]),
        ("[.][.]/x", [("../x", False)]),
        (r"\.\./x", [("../x", False)]),
        ("~/x", [(f"{HOME}/x", False)]),
        ("{~,a}/x", [(f"{HOME}/x", False), ("a/x", False)]),
        ("~root/*", [(os.path.expanduser("~root/"), True)]),
    ],
)
def test_where_it_leads(text: str, places: list[tuple[str, bool]]) -> None:
    found = reach(text)
    assert found is not None
    assert set(found) == {Place(*place) for place in places}


@pytest.mark.parametrize(
    "text",
    [
        "$HOME/.ssh/*",
        "${HOME}/x",
        "{a,$HOME}/x",
        "{a,${HOME}}/x",
        "${HOME:-a}/x",
        "$(pwd)/x",
        "`pwd`/../x",
        "~$USER/x",
        "~*/x",
        "~+/x",
        "[!a]etc/shadow",
        "[[:punct:]]etc",
        "x*/../y",
        "a/$X/../y",
        ".?/x",
        ".*/x",
        "[.-a][.-a]/x",
        "[:--]etc",
        "[--/]etc",
        "[a&&/]etc",
        "{-../}etc",
        "{..}/x",
        "x\0",
        "x" * limits.PATH_CHARS,
        "{a,b}" * 10,
        "[a" * 200,
    ],
)
def test_what_nobody_can_say_is_unknown(text: str) -> None:
    assert reach(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "foo$",
        r"\bfoo\(bar\)\s*$",
        "import .* from",
        'name = "[^"]*"',
        "a{2,3}b",
        "colou?r",
        "(foo|bar)+baz",
        "[A-Z]\\w+Error",
        "app/[slug]/[[...rest]]/page.tsx",
        "app/(group)/{id}/$types.ts",
        "**/.env.*",
        "[+--]etc",
        "!**/node_modules/**",
        "where is ../x used?",
    ],
)
def test_expressions_and_odd_names_stay_where_they_are(text: str) -> None:
    found = reach(text)
    assert found is not None
    assert not any(os.path.normpath(f"/w/{place.path}").partition("/w")[0] for place in found)


def test_only_so_many_are_read() -> None:
    texts = [f"{number}*" for number in range(limits.GLOBS + 1)]
    found = readings([*texts, "plain"])
    assert found[texts[-2]]
    assert found[texts[-1]] is None


@given(st.text(alphabet="./{},[]()|*?a~$!^\\+@:-", max_size=40))
def test_a_step_up_or_away_is_always_told(text: str) -> None:
    """What begins at the root or has a step up by its own letters leads there in one of its readings, or is unknown."""
    away, up = reach(f"/{text}"), reach(f"../{text}")
    assert away is None or any(place.path.startswith("/") for place in away)
    assert up is None or any(place.path.startswith("..") for place in up)
