"""The ways in which a command writes a figure: on the terminal, or as SVG, HTML or LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .common import InputError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from ..ground import AnyFigure

FORMATS: Final = {
    "svg": "write the picture as SVG",
    "html": "write the picture as a page of HTML",
    "latex": "write the picture as LaTeX with TikZ",
}

_ENDINGS: Final = {".svg": "svg", ".html": "html", ".htm": "html", ".tex": "latex"}
"""What the name of a file says of its format."""

_OTHERS: Final = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".pdf", ".ps", ".eps")
"""The names of pictures in formats that nothing here writes: text under such a name would not open."""


def add_formats(parser: argparse.ArgumentParser, json: str | None = None) -> None:
    """Let a command take ``--svg``, ``--html``, ``--latex``, ``--output``; and ``--json``, so described.

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
        help=f"write the picture to a file, in the format of its name: {', '.join(_ENDINGS)}, else text;"
        " - is standard output",
    )
    parser.set_defaults(format=None)


def format_of(options: argparse.Namespace) -> str | None:
    """Return the format that a picture is asked for in; None for text."""
    if options.format is not None or options.output is None:
        form: str | None = options.format
        return form
    name = options.output.lower()
    return next((of for ending, of in _ENDINGS.items() if name.endswith(ending)), None)


def is_file_format(options: argparse.Namespace) -> bool:
    """Whether a figure is asked for that may be larger than a terminal."""
    return format_of(options) is not None


def is_asked_for(options: argparse.Namespace) -> bool:
    """Whether the picture alone is to be written, and not what a command says besides."""
    return options.format is not None or options.output is not None


def refuse_formats(
    parser: argparse.ArgumentParser,
    options: argparse.Namespace,
    names: Sequence[str] = (),
    why: str = "",
) -> None:
    """End with a sentence where a picture is asked for beside an option that has none.

    Args:
        names: Of such options.
        why: What the sentence says there is a picture of.
    """
    if options.output is not None and getattr(options, "json", False):
        parser.error("--output takes the picture, not JSON: print that, and redirect it")
    for name in names:
        if is_asked_for(options) and getattr(options, name):
            option = f"--{options.format}" if options.format is not None else "--output"
            parser.error(f"{option} does not go with --{name.replace('_', '-')}: {why}")


def write_figure(figure: AnyFigure, options: argparse.Namespace) -> None:
    """Write a figure as the options ask for: to a terminal where they do not.

    Raises:
        InputError: the file cannot be written, or its name says another format.
    """
    if options.format is None and options.output in (None, "-"):
        from ..show import write

        write(figure)
        return
    from ..show import html, latex, render, svg

    if format_of(options) is None:
        for ending in _OTHERS:
            if options.output.lower().endswith(ending):
                wanted = f"a picture is written as {', '.join(_ENDINGS)}, not {ending}"
                raise InputError(f"cannot write {options.output}: {wanted}", path=options.output)
    written = {None: render, "svg": svg, "html": html, "latex": latex}[format_of(options)](figure)
    if options.output is None or options.output == "-":
        print(written)
        return
    try:
        with open(options.output, "w", encoding="utf-8") as file:
            file.write(written + "\n")
    except OSError as error:
        why = error.strerror or error
        raise InputError(f"cannot write {options.output}: {why}", path=options.output) from None
