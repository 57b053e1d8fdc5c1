# SPDX-License-Identifier: Apache-2.0
"""How a command writes a figure: on the terminal, or as SVG, PNG, HTML or LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .common import InputError, file_argument, positive
from .saving import save, save_bytes

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from ..ground import AnyFigure

FORMATS: Final = {
    "svg": "write the picture as SVG",
    "html": "write the picture as a page of HTML",
    "latex": "write the picture as LaTeX with TikZ",
}

_ENDINGS: Final = {".svg": "svg", ".png": "png", ".html": "html", ".htm": "html", ".tex": "latex"}
"""The format that the ending of a file name asks for."""

_OTHERS: Final = (".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".pdf", ".ps", ".eps")
"""Endings of formats that no command writes: a text under such a name would not open as a picture."""


def add_formats(parser: argparse.ArgumentParser, json: str | None = None) -> None:
    """Give a command ``--svg``, ``--html``, ``--latex``, ``--output``; and ``--json`` with a help text.

    Without a format the name of the output says it; without both the picture is text.
    """
    group = parser.add_mutually_exclusive_group()
    if json:
        group.add_argument("--json", action="store_true", help=json)
    for name, what in FORMATS.items():
        group.add_argument(f"--{name}", action="store_const", const=name, dest="format", help=what)
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=file_argument,
        help=f"write the picture to a file, in the format of its name: {', '.join(_ENDINGS)}, else text;"
        " - is standard output",
    )
    parser.add_argument(
        "--width", type=positive, metavar="N", help="at most N pixels of a picture, or letters of text"
    )
    parser.set_defaults(format=None)


def format_of(options: argparse.Namespace) -> str | None:
    """Return the format of the picture that the options ask for; None for text."""
    if options.format is not None or options.output is None:
        form: str | None = options.format
        return form
    return _format_named(options.output)


def _format_named(name: str) -> str | None:
    """The format that the ending of a file name asks for; None for another ending."""
    return next((of for ending, of in _ENDINGS.items() if name.lower().endswith(ending)), None)


def is_file_format(options: argparse.Namespace) -> bool:
    """Whether the options ask for a figure that may be larger than a terminal."""
    return format_of(options) is not None


def is_asked_for(options: argparse.Namespace) -> bool:
    """Whether to write the picture alone, without the other output of the command."""
    return options.format is not None or options.output is not None


def refuse_formats(
    parser: argparse.ArgumentParser,
    options: argparse.Namespace,
    names: Sequence[str] = (),
    why: str = "",
) -> None:
    """End with a sentence if a picture is asked for beside an option that has none.

    Args:
        names: The options that have no picture.
        why: The end of the sentence: what has a picture.
    """
    if options.output is not None and getattr(options, "json", False):
        parser.error("--output takes the picture, not JSON: print that, and redirect it")
    for name in names:
        if is_asked_for(options) and getattr(options, name):
            option = f"--{options.format}" if options.format is not None else "--output"
            parser.error(f"{option} does not go with --{name.replace('_', '-')}: {why}")


def write_figure(figure: AnyFigure, options: argparse.Namespace) -> None:
    """Write a figure in the format of the options; without one, to the terminal.

    Raises:
        InputError: the file cannot be written, or its name says another format.
    """
    if options.format is None and options.output in (None, "-"):
        from ..show import write

        write(figure, options.colour, options.width)
        return
    from ..show import html, latex, png, render, svg

    named = _format_named(options.output or "")
    if named not in (None, format_of(options)):
        wanted = f"--{options.format} is asked for, and the name says {named}"
        raise InputError.cannot("write", options.output, ValueError(wanted))
    if format_of(options) is None:
        for ending in _OTHERS:
            if options.output.lower().endswith(ending):
                wanted = f"a picture is written as {', '.join(_ENDINGS)}, not {ending}"
                raise InputError.cannot("write", options.output, ValueError(wanted))
    if format_of(options) == "png":
        save_bytes(options.output, png(figure, width=options.width))
        return
    writers: dict[str | None, Callable[..., str]]
    writers = {None: render, "svg": svg, "html": html, "latex": latex}
    text = writers[format_of(options)](figure, width=options.width)
    save("-" if options.output is None else options.output, text)
