"""Finds whose a change on disk is: that of the call which named the file, else of the one that ran at that time.

    session 1    ├── make ────────────────┤        a.txt changes: both ran, only sed names it: session 2
    session 2      ├── sed -i … a.txt ──┤          b.txt changes: both ran, nobody names it: one of two
                                                   c.txt changes when nobody runs: unknown, and told once

A call that reads or searches owns nothing. One that edits files and names some owns these alone, but not for ever: what
changes long after its end, when no other call runs, is another program's.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from acp_nvim.files.call_run import CallRun
from acp_nvim.files.file_snapshot import ChangeAuthor, Stamp
from acp_nvim.files.watched_turn import WatchedTurn

_BEFORE_NS = 300_000_000  # by which an agent may have begun a call before its message was read
# by which a change may come after the call that named the file: a command may leave a process behind
_AFTER_NS = 2_000_000_000


class Owner(NamedTuple):
    turn: WatchedTurn
    author: ChangeAuthor
    call: CallRun | None = None
    is_named: bool = False  # by the call

    @property
    def may_be_git(self) -> bool:
        """Whether what the commit of HEAD holds may be a change of the owner's."""
        return self.is_named or (self.call is not None and self.call.runs_git)


def find(turns: Iterable[WatchedTurn], found_by: WatchedTurn, path: str, now: Stamp | None) -> Owner:
    """Return who has changed the file, as it is `now`. `found_by`: the turn that has come upon the change."""
    at = found_by.changed_at(path, now)
    turns = [turn for turn in turns if turn.ran(at) and turn.has(path)] or [found_by]
    ranks = {turn: found for turn in turns if (found := _ranks(turn, path, at, now is None))}
    if all(run.ended and at > run.ended + _AFTER_NS for found in ranks.values() for run in found):
        newest = max(turns, key=_order)
        return Owner(newest, newest.author("unknown"))
    likeliest = {turn: min(found.values()) for turn, found in ranks.items()}
    owners = {turn for turn, rank in likeliest.items() if rank == min(likeliest.values())}
    newest = max(owners, key=_order)
    # one that ran at that very time, if there is one
    call = max(ranks[newest], key=lambda run: (run.ran(at), run.targets.have(path), run.began or 0))
    author = newest.author("agent")._replace(call=call.name)
    if len(owners) > 1:
        other = max(owners - {newest}, key=lambda turn: turn.began)
        author = author._replace(by="one of two", other=(other.session, other.number))
    return Owner(newest, author, call, call.targets.have(path))


def _order(turn: WatchedTurn) -> tuple[int, int]:
    return turn.began, turn.session.number


def _ranks(turn: WatchedTurn, path: str, at: int, is_gone: bool) -> dict[CallRun, int]:
    """Return the calls that may have made the change."""
    ranks = ((run, _rank(turn, run, path, at, is_gone)) for run in _runs(turn, at))
    return {run: rank for run, rank in ranks if rank is not None}


def _runs(turn: WatchedTurn, at: int) -> list[CallRun]:
    """Return the calls, without those that have begun after another one that ran at that time was over."""
    over = [run.ended for run in turn.runs.values() if run.may_change and run.ended and run.has_run_at(at)]
    first = min(over, default=None)
    return [run for run in turn.runs.values() if first is None or run.began is None or run.began < first]


def _rank(turn: WatchedTurn, run: CallRun, path: str, at: int, is_gone: bool) -> int | None:
    """Return how likely the call has made the change, 0 for the likeliest; None: it has not.

    A file that a call has named and changed stays with its session while commands run that do not name it.
    """
    if not run.may_change:
        return None
    names = run.targets.have(path)
    if not names and run.is_bound:
        return None
    if is_gone and names and run.ran(at, _BEFORE_NS, is_open=True):
        return 0  # the folder, which tells when that was, may have changed since
    if run.ran(at):
        return 0 if names else 3
    if run.ran(at, _BEFORE_NS):
        return 1 if names else 4
    if not names:
        return None
    return 2 if path in turn.owned or run.name is None else 5
