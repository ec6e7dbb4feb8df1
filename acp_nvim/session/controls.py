"""Keeps what can be switched in a session (mode, model, options) and what has been asked for. Config options of the
agent take precedence over its modes and models."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import chain, islice
from typing import Any, Literal, NamedTuple

from acp_nvim.protocol import schema
from acp_nvim.session.identity_cache import IdentityCache
from acp_nvim.session.offer_limits import OfferLimits
from acp_nvim.text.printable import one_line

What = Literal["mode", "model", "option"]
_MOST_NAMED = 8  # choices that a message has room for
_REMARK = re.compile(r"(?<=.) \((?:recommended|default)\)$")  # of a name, for those who choose


class Wish(NamedTuple):
    """A wanted mode, model, or value of the config option `id`."""

    what: What
    value: str | bool
    id: str = ""
    is_default: bool = False  # of the configuration, not of the user's hand

    def __str__(self) -> str:
        name = f"option {self.id}" if self.what == "option" else self.what
        return one_line(f"{name} '{_shown(self.value)}'")


class Change(NamedTuple):
    """How a wish is applied: `option` is the config option to set, None means the older request."""

    wish: Wish
    value: str | bool
    option: schema.ConfigOption | None = None


class Controls:
    def __init__(self, offer_limits: OfferLimits) -> None:
        self._offer_limits = offer_limits
        self._modes: schema.ModeState | None = None
        self._models: schema.ModeState | None = None
        self._options: tuple[schema.ConfigOption, ...] | None = None
        self.waiting: deque[Wish] = deque()
        self.busy = False  # a change is under way: the next waits for its answer
        self._status: IdentityCache[dict[str, Any]] = IdentityCache()

    def begin(self, answer: schema.NewSession) -> None:
        """Take modes, models and options from an answer; what is missing in it stays as it was."""
        self._modes = self._state("modes", answer.modes) or self._modes
        self._models = self._state("models", answer.models) or self._models
        if answer.config_options is not None:
            self._options = self._known(answer.config_options)

    def name_models(self) -> None:
        """Allow any model name, for agents that can set models but list none."""
        self._models = self._models or schema.ModeState()

    def name_modes(self, ids: Iterable[str]) -> None:
        """Offer modes that can be set although the agent lists none. The current one is unknown."""
        if self._modes is None and self._of_category("mode") is None:
            self._modes = schema.ModeState(available=tuple(schema.Mode(id=id, name=id) for id in ids))

    def apply(self, update: schema.Update) -> None:
        if isinstance(update, schema.OptionsUpdate):
            self._options = self._known(update.options)
        elif isinstance(update, schema.ModeUpdate):
            self._become("mode", update.mode_id)

    def _state(self, what: str, sent: schema.ModeState | None) -> schema.ModeState | None:
        return sent and sent.model_copy(update={"available": self._offer_limits.first(what, sent.available)})

    def _known(self, sent: tuple[schema.ConfigOption, ...]) -> tuple[schema.ConfigOption, ...]:
        """Limit the options, and the choices of all of them together."""
        options = self._offer_limits.first("options", sent)
        choices = iter(self._offer_limits.first("choices", tuple(chain(*(each.choices for each in options)))))
        return tuple(
            each.model_copy(update={"choices": tuple(islice(choices, len(each.choices)))}) for each in options
        )

    # --- changing

    def change(self, wish: Wish) -> Change:
        """Return how to apply a wish; a ValueError says for the user why that is impossible."""
        option = self._option(wish)
        if option is None:
            return Change(wish, self._legacy_value(wish))
        if option.type == "boolean":
            return Change(wish, _switch(option, wish.value), option)
        _check(f"{one_line(option.id)} has no value", wish.value, [choice.value for choice in option.choices])
        return Change(wish, str(wish.value), option)

    def give_up(self) -> None:
        """Drop the wishes that wait behind the change under way."""
        if self.busy:
            self.waiting.clear()

    def is_so(self, change: Change) -> bool:
        if change.option:
            return change.option.current_value == change.value
        state = self._modes if change.wish.what == "mode" else self._models
        return state is not None and state.current == change.value

    def changed(self, change: Change, answer: schema.NewSession, value: str | None = None) -> None:
        """Take the agent's answer to a change. Its set replaces ours; an empty answer confirms what was wanted."""
        self.begin(answer)
        if change.option is None:
            self._become(change.wish.what, str(value or change.value))
        elif answer.config_options is None:
            self._set(change.option.id, change.value)

    def of_options(self, wanted: dict[str, Any]) -> list[tuple[str, Any]]:
        """Sort wishes in the agent's order of options; unknown ones come last."""
        known = [option.id for option in self._options or () if option.id in wanted]
        return [(id, wanted[id]) for id in [*known, *sorted(wanted.keys() - set(known))]]

    def _option(self, wish: Wish) -> schema.ConfigOption | None:
        """Return the config option that is meant; None for the older request."""
        if wish.what != "option":
            return self._of_category(wish.what)
        found = next((option for option in self._options or () if option.id == wish.id), None)
        if found is None:
            _check("no option", wish.id, [option.id for option in self._options or ()])
            raise ValueError("the agent has no options")
        return found

    def _legacy_value(self, wish: Wish) -> str:
        state = self._modes if wish.what == "mode" else self._models
        if state is None:
            raise ValueError(f"the agent has no {wish.what}s to choose from")
        _check(f"no {wish.what}", wish.value, [each.id for each in state.available])
        return str(wish.value)

    def _become(self, what: str, value: str) -> None:
        """Set the current value in both places: some agents have the mode as option and as mode, and update either."""
        if what == "mode":
            self._modes = (self._modes or schema.ModeState()).model_copy(update={"current": value})
        else:
            self._models = (self._models or schema.ModeState()).model_copy(update={"current": value})
        option = self._of_category(what)
        if option and any(choice.value == value for choice in option.choices):
            self._set(option.id, value)

    def _set(self, id: str, value: str | bool) -> None:
        self._options = tuple(
            option.model_copy(update={"current_value": value}) if option.id == id else option
            for option in self._options or ()
        )

    # --- what the user may know

    def status(self) -> dict[str, Any]:
        """Return the part of the status. It is cached: it is needed with every frame and may be large."""
        return self._status.get((self._modes, self._models, self._options), self._told)

    def choices(self) -> tuple[str, str]:
        """Return the names of the current model and mode; empty where the agent has none. Where both have the same
        name, each says what it is."""
        known = self.status()
        model, mode = _name(known, "model"), _name(known, "mode")
        return (f"model {model}", f"mode {mode}") if model and model == mode else (model, mode)

    def _told(self) -> dict[str, Any]:
        mode, modes = self._one("mode", self._modes)
        model, models = self._one("model", self._models)
        options = [_option(option) for option in self._options] if self._options is not None else None
        return {"mode": mode, "modes": modes, "model": model, "models": models, "options": options}

    def _one(self, category: str, legacy: schema.ModeState | None) -> tuple[Any, Any]:
        if option := self._of_category(category):
            return option.current_value, [_named(choice.value, choice.name) for choice in option.choices]
        if legacy is None:
            return None, None
        return legacy.current, [_named(mode.id, mode.name) for mode in legacy.available]

    def _of_category(self, category: str) -> schema.ConfigOption | None:
        """Find the option of a category. Some agents name the option so and give no category. Others give the
        category to several, such as provider and model: then the id decides, or which of them offers the mode or
        model of the older way."""
        choosable = [option for option in self._options or () if option.type == "select"]
        by_category = [option for option in choosable if option.category == category]
        legacy = {"mode": self._modes, "model": self._models}.get(category)
        known = {legacy.current, *(each.id for each in legacy.available)} if legacy else set()
        named = (option for option in by_category if option.id == category)
        agreeing = (option for option in by_category if known & {choice.value for choice in option.choices})
        by_name = (option for option in choosable if option.id == category and option.category is None)
        return next(chain(named, agreeing, by_category, by_name), None)


def _name(known: dict[str, Any], category: str) -> str:
    current, offered = known[category], known[f"{category}s"] or ()
    found = (each["name"] for each in offered if each["id"] == current)
    return _REMARK.sub("", one_line(_shown(next(found, current or ""))))


def _check(missing: str, value: str | bool, known: Sequence[str]) -> None:
    """Raise a ValueError for an unknown value. If nothing is known, every value may be right."""
    names = [one_line(name) for name in known]
    if not names or value in known:
        return
    near = get_close_matches(str(value), names, 1, 0.5)
    hint = f": did you mean '{near[0]}'?" if near else f". Choose {_listed(names)}"
    raise ValueError(one_line(f"{missing} '{_shown(value)}'") + hint)


def _listed(names: list[str]) -> str:
    """Join names to `ask, code or plan`."""
    if len(names) > _MOST_NAMED:
        return ", ".join(names[:_MOST_NAMED]) + ", …"
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _switch(option: schema.ConfigOption, value: str | bool) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{one_line(option.id)} is true or false, not '{one_line(str(value))}'")
    return value


def _shown(value: str | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else value


def _named(value: str, name: str) -> dict[str, str]:
    return {"id": value, "name": one_line(name)}


def _choice(choice: schema.Choice) -> dict[str, str]:
    more = {"group": choice.group, "description": choice.description}
    return {
        **_named(choice.value, choice.name),
        **{key: one_line(text) for key, text in more.items() if text},
    }


def _option(option: schema.ConfigOption) -> dict[str, Any]:
    known = {"id": option.id, "name": one_line(option.name), "type": option.type}
    more = {"value": option.current_value, "choices": [_choice(choice) for choice in option.choices]}
    return {**known, **({"category": option.category} if option.category else {}), **more}
