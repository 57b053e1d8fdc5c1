# SPDX-License-Identifier: Apache-2.0
"""``tla hlo DIR...``: one line for each of many modules, the largest peak first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import TlaError
from ..ground import plural, say
from ..memory import sweep
from ..xla_bridge import memory_space_name
from .columns import columns
from .common import InputError, short_bytes
from .executors import executor_named
from .hlo_dump import dumped_modules
from .messages import complain, say_json
from .progress import progress_bar

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator


def report(options: argparse.Namespace) -> int:
    """Print the memory of each module in some files and folders."""
    paths = [path for name in options.file for path in _modules(name)]
    with executor_named(options.executor) as executor, progress_bar("modules") as progress:
        try:
            found = sweep(paths, executor, results=options.results, progress=progress)
        except TlaError:
            raise
        except (OSError, ValueError) as error:
            raise InputError.cannot("go on with", options.results or "-", error) from None
    listed = found[: options.top]
    if options.json:
        for each in listed:
            say_json({**each._asdict(), "peaks": dict(each.peaks)})
    else:
        spaces = sorted({space for each in found for space, _size in each.peaks})
        table = [
            [
                short_bytes(each.peak_bytes),
                *(short_bytes(dict(each.peaks).get(space, 0)) for space in spaces),
                short_bytes(each.waste_bytes),
                short_bytes(each.scoped_bytes),
                str(each.instructions),
                each.path,
            ]
            for each in listed
            if not each.reason
        ]
        names = [memory_space_name(space, options.chip) for space in spaces]
        head = ["peak", *names, "waste", "scoped VMEM", "instructions", "file"]
        say(*columns(head, table, len(head) - 1), plural(len(found), "module"))
    for each in found:
        if each.reason:
            complain(f"tla: {each.path}: {each.reason}")
    return int(any(each.reason for each in found))


def _modules(name: str) -> Iterator[str]:
    """The files of modules under a name: the file, those of a dump, or those of a folder."""
    path = Path(name)
    if not path.is_dir():
        yield name
        return
    texts = sorted(str(each) for each in path.rglob("*.hlo"))
    if texts:
        yield from texts
    else:
        yield from (each.files["module"] for each in dumped_modules(name) if "module" in each.files)
