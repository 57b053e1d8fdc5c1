# SPDX-License-Identifier: Apache-2.0
"""``tla playground``: the page in which the library runs, as one file."""

from __future__ import annotations

import os

from ..ground import say
from ..playground import page
from .common import InputError, bytes_in_words, file_argument
from .parser import argument_parser
from .saving import is_standard_output, save

_EPILOG = """\
examples:
  tla playground -o playground.html --pyodide package
  tla playground -o site/playground.html --pyodide package
  tla playground -o - --pyodide package > playground.html

The page is one file that works without a network: layouts are typed or dragged, and the library itself,
in the browser, answers with pictures, steps, checks and refusals. Its address keeps what is shown.

It needs Pyodide, which is Python for the browser. This command downloads nothing: `npm pack pyodide`
gets the package as an archive, `tar -xf pyodide-*.tgz` unpacks it into the folder package: that is DIR.
"""

_WAY = "Get it by `npm pack pyodide` and `tar -xf pyodide-*.tgz`, then add --pyodide package."


def run(arguments: list[str]) -> int:
    parser = argument_parser("playground", _EPILOG)
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=file_argument,
        required=True,
        help="write the page to a file; - is standard output",
    )
    parser.add_argument(
        "--pyodide",
        metavar="DIR",
        default=os.environ.get("TLA_PYODIDE"),
        help="the folder of the unpacked npm package pyodide (default: the variable TLA_PYODIDE)",
    )
    options = parser.parse_args(arguments)
    if not options.pyodide:
        raise InputError("the page needs the npm package pyodide, which tla does not download", _WAY)
    text = page(options.pyodide)
    save(options.output, text)
    if not is_standard_output(options.output):
        say(f"{options.output}: {bytes_in_words(len(text.encode()) + 1)}")
    return 0
