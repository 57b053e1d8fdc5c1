# SPDX-License-Identifier: Apache-2.0
"""What ``tla ascend search`` says of attention: its legal tiles, ranked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..ascend import attention, estimate_attention, in_us, search_attention
from ..errors import ParseError
from ..ground import did_you_mean, near_words, say
from .columns import columns
from .messages import say_json

if TYPE_CHECKING:
    import argparse

    from ..ascend import AttentionEstimate

_NUMBERS: Final = ("heads", "q", "kv", "head", "kv_heads", "batch")
_LEAST: Final = _NUMBERS[:4]
_NAMES: Final = (*_NUMBERS, "kind", "masked")


def report(options: argparse.Namespace) -> None:
    """Rank the tiles of the attention that the only problem of the command line names.

    Raises:
        ParseError: the text does not name the heads and the lengths.
        UnsupportedError: no tile is legal.
    """
    values = _values(options.problem[0])
    plan = attention(options.arch, element=options.element, cores=options.cores, **values)
    found, default = search_attention(plan, options.top, options.step), estimate_attention(plan)
    if options.json:
        say_json({
            "arch": plan.arch.name, "cores": plan.cores, "element": plan.element.name,
            "problem": values, "tiles": [_facts(each) for each in found], "default": _facts(default),
        })  # fmt: skip
        return
    say(*str(plan).splitlines()[:1], "")
    ranked = [*((str(rank), each) for rank, each in enumerate(found, 1)), ("default", default)]
    rows = [
        [
            rank, in_us(each.seconds), str(each.blocks), str(each.rounds), each.bound,
            ",".join(map(str, each.tile)),
        ]
        for rank, each in ranked
    ]  # fmt: skip
    say(*columns(["rank", "us", "blocks", "rounds", "bound", "tile"], rows, 4))


def _values(text: str) -> dict[str, Any]:
    """The arguments of `attention` in a text such as ``heads=16,q=1024,kv=2048,head=128``."""
    values: dict[str, Any] = {}
    start = 0
    for part in text.split(","):
        name, _, value = part.partition("=")
        wrong = ""
        if name not in _NAMES:
            wrong = f"attention has no {name!r}"
        elif name in _NUMBERS and not value.isdecimal():
            wrong = f"{name} is a number"
        elif name == "masked" and value not in ("0", "1"):
            wrong = "masked is 0 or 1"
        if wrong:
            way_out = did_you_mean(near_words(name, _NAMES), _NAMES) if name not in _NAMES else ""
            raise ParseError(wrong, text, start, start + len(part), way_out)
        values[name] = int(value) if name != "kind" else value
        start += len(part) + 1
    missing = [name for name in _LEAST if name not in values]
    if missing:
        raise ParseError(f"{missing[0]} of the attention is missing", text, len(text), len(text))
    return values


def _facts(each: AttentionEstimate) -> dict[str, Any]:
    return {
        "tile": list(each.tile), "microseconds": each.microseconds, "bound": each.bound,
        "blocks": each.blocks, "rounds": each.rounds,
        "pipes": {name: seconds * 1e6 for name, seconds in each.pipes.items()},
    }  # fmt: skip
