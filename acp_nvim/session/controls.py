"""What can be switched in a session: mode, model, options. Where an agent has config options, those win."""

from __future__ import annotations

from typing import Any

from acp_nvim.protocol import schema
from acp_nvim.session.visible import one_line


class Controls:
    def __init__(self) -> None:
        self._modes: schema.ModeState | None = None
        self._models: schema.ModeState | None = None
        self._options: tuple[schema.ConfigOption, ...] | None = None

    def begin(self, answer: schema.NewSession) -> None:
        """An answer that leaves a set out, or sends none, leaves what we had."""
        self._modes = answer.modes or self._modes
        self._models = answer.models or self._models
        if answer.config_options is not None:
            self._options = answer.config_options

    def apply(self, update: schema.Update) -> None:
        if isinstance(update, schema.OptionsUpdate):
            self._options = update.options
        elif isinstance(update, schema.ModeUpdate):
            known = self._modes or schema.ModeState()
            self._modes = known.model_copy(update={"current": update.mode_id})

    def status(self) -> dict[str, Any]:
        mode, modes = self._one("mode", self._modes)
        model, models = self._one("model", self._models)
        options = [_option(option) for option in self._options] if self._options is not None else None
        return {"mode": mode, "modes": modes, "model": model, "models": models, "options": options}

    def _one(self, category: str, legacy: schema.ModeState | None) -> tuple[Any, Any]:
        for option in self._options or ():
            if option.category == category and option.type == "select":
                return option.current_value, [_named(choice.value, choice.name) for choice in option.choices]
        if legacy is None:
            return None, None
        return legacy.current, [_named(mode.id, mode.name) for mode in legacy.available]


def _named(value: str, name: str) -> dict[str, str]:
    return {"id": value, "name": one_line(name)}


def _option(option: schema.ConfigOption) -> dict[str, Any]:
    choices = [_named(choice.value, choice.name) for choice in option.choices]
    known = {"id": option.id, "name": one_line(option.name), "type": option.type}
    return {**known, "value": option.current_value, "choices": choices}
