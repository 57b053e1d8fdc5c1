# SPDX-License-Identifier: Apache-2.0
"""Kernels of Python files for ``tla ascend run``: loaded, given arrays, run."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any, Final

from ..ascend import kernels, parse_tagged
from ..errors import ArgumentError, TlaError
from ..ground import plural
from .python_files import complain_of, names_of_file

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

_SOURCE: Final = re.compile(r"(?P<file>.*\.py)(?::(?P<name>\w+))?")
_SIZES: Final = re.compile(r"(?:(?P<type>\w+)\()?(?P<sizes>\d+(?:[,x]\d+)*)(?(type)\))")
_PROBLEM: Final = re.compile(r"\d+[,x]\d+[,x]\d+")


def is_source(text: str) -> bool:
    """Whether the argument names a Python file: its kernel is ``FILE.py:KERNEL``."""
    return _SOURCE.fullmatch(text) is not None


def run_written(
    options: argparse.Namespace, tensors: dict[str, Any], progress: Callable[[int, int], object] | None
) -> kernels.Run | None:
    """Return the run of a kernel of a file; None if it raised an error, whose traceback is printed.

    Raises:
        InputError: the file cannot be read.
        ArgumentError: it has no such kernel, or a tensor has no array.
    """
    try:
        kernel, arrays = written_kernel(options.trace, options, tensors)
        return kernels.simulate(
            kernel, *arrays, cores=options.cores or 1, seed=options.seed, checks=options.check,
            orders=options.orders, drop=options.drop, strict=options.strict, progress=progress,
            **settings(options),
        )  # fmt: skip
    except TlaError:
        raise
    except Exception as error:
        complain_of(error)
        return None


def written_kernel(
    source: str, options: argparse.Namespace, tensors: dict[str, Any]
) -> tuple[kernels.Kernel, list[Any]]:
    """Return the kernel that ``FILE.py:KERNEL`` names, and its arrays.

    Raises:
        InputError: the file cannot be read.
        ArgumentError: the text names no kernel, the file has none of the name, or a tensor has no array.
    """
    found = _SOURCE.fullmatch(source)
    if found is None:
        raise ArgumentError(f"a kernel is FILE.py:KERNEL, not {source!r}", source=source)
    kernel = _loaded(found["file"], found["name"])
    if options.arch:
        kernel = kernel.on(options.arch)
    return kernel, _arrays(kernel, options, tensors)


def settings(options: argparse.Namespace) -> dict[str, Any]:
    """Return the parameters of a kernel that the command line sets."""
    return dict(map(_setting, options.set))


def _loaded(file: str, name: str | None) -> kernels.Kernel:
    names = names_of_file(file, "tla_kernel")
    made = {key: x for key, x in names.items() if isinstance(x, kernels.Kernel)}
    if name is None or name not in made:
        words = f"Its kernels are {', '.join(made)}." if made else "Mark one with @kernel('AtlasA2')."
        what = f"{file} has no kernel {name!r}" if name else f"a kernel is FILE.py:KERNEL, not {file!r}"
        raise ArgumentError(what, words, name=name)
    return made[name]


def _arrays(kernel: kernels.Kernel, options: argparse.Namespace, tensors: dict[str, Any]) -> list[Any]:
    """The arrays of a kernel: of files, or small ints of the shapes."""
    import numpy as np

    shapes: dict[str, Any] = {}
    for text in options.shape:
        if _PROBLEM.fullmatch(text):
            shapes.update(_of_problem(kernel, text))
        else:
            shapes.update([_setting(text, literal=False)])
    for name in (*shapes, *tensors):
        if name not in kernel.tensors:
            words = f"Its tensors are {', '.join(kernel.tensors)}."
            raise ArgumentError(f"{kernel.name} has no tensor {name!r}", words, name=name)
    missing = [name for name in kernel.tensors if name not in shapes and name not in tensors]
    if missing:
        example = f"--shape {missing[0]}=half(300,600), or --tensor {missing[0]}=FILE.npy"
        raise ArgumentError(
            f"{kernel.name} takes {plural(len(kernel.tensors), 'tensor')}: {missing[0]} has no shape",
            f"Give {example}.",
            missing=missing,
        )
    rng = np.random.default_rng(options.seed)
    return [tensors[name] if name in tensors else _random(rng, shapes[name]) for name in kernel.tensors]


def _of_problem(kernel: kernels.Kernel, text: str) -> dict[str, str]:
    """The shapes of a product's matrices A, B and C."""
    if len(kernel.tensors) != 3:
        raise ArgumentError(
            f"{kernel.name} has the tensors {', '.join(kernel.tensors)}, not those of a product",
            "Give each its shape, as --shape A=half(300,600).",
        )
    m, n, k = re.split("[,x]", text)
    return dict(zip(kernel.tensors, (f"{m},{k}", f"{k},{n}", f"{m},{n}"), strict=True))


def _random(rng: Any, text: str) -> Any:
    """Ints from -3 to 3 in an array of a shape, or in memory of a layout."""
    import numpy as np

    sizes = _SIZES.fullmatch(text)
    if sizes is None:
        tagged = parse_tagged(text)
        memory = rng.integers(-3, 4, int(tagged.layout.cosize))
        return kernels.gm(memory.astype(_dtype(tagged.element.name)), tagged)
    shape = tuple(map(int, re.split("[,x]", sizes["sizes"])))
    return np.asarray(rng.integers(-3, 4, shape)).astype(_dtype(sizes["type"] or "half"))


def _dtype(name: str) -> Any:
    """The dtype of numpy of an element type."""
    import numpy as np

    from ..ascend import element

    known = kernels.type_name(element(name).name)
    try:
        return np.dtype(known)
    except TypeError:
        raise ArgumentError(
            f"numpy has no {name} of its own", "Give the memory by --tensor NAME=FILE.npy."
        ) from None


def _setting(text: str, literal: bool = True) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise ArgumentError(f"expected NAME=VALUE, as A=half(300,600), not {text!r}", text=text)
    if not literal:
        return name, value
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value
