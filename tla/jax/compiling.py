# SPDX-License-Identifier: Apache-2.0
"""A function of jax compiled: for the device of its arguments, or for a TPU that libtpu describes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from ..errors import ArgumentError, UnsupportedError
from ..objects import peer
from ..xla_bridge import chip_named

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..xla_bridge import Chip

_TOPOLOGIES: Final = {"v4": "2x2x1", "v5p": "2x2x1", "v5e": "2x2", "v6e": "2x2", "tpu7x": "2x2x1"}
_ALONE: Final = {"TPU_SKIP_MDS_QUERY": "1", "ALLOW_MULTIPLE_LIBTPU_LOAD": "1"}
"""The variables with which libtpu looks for no TPU, and lets others use one."""


def jax_module(function: str, name: str = "jax") -> Any:
    """Return a module of jax, for a function that needs it.

    Raises:
        UnsupportedError: jax is not installed.
    """
    return peer(name, function, "pip install 'tla-layouts[jax]'")


def compiled(
    function: Any,
    args: Sequence[Any],
    chip: str | Chip | None = None,
    caller: str = "report",
    **options: Any,
) -> Any:
    """Return the ``jax.stages.Compiled`` of a function, which may be lowered or compiled already.

    Args:
        chip: The chip to compile for, which need not be there; by default where the arguments are.
        caller: The function of `tla.jax` that asks, for errors.
        options: Arguments of `jax.jit`.

    Raises:
        ArgumentError: the function is no function, or is compiled already and has arguments.
        UnsupportedError: jax is not installed, or nothing here compiles for the chip.
    """
    jax = jax_module(caller)
    done = hasattr(function, "as_text")
    if done and (args or options or chip is not None):
        what = "compiled already" if hasattr(function, "input_formats") else "lowered already"
        raise ArgumentError(f"the function is {what}: it takes no arguments and no chip any more")
    if done:
        return function if hasattr(function, "input_formats") else function.compile()
    if not callable(function):
        raise ArgumentError(f"{caller} takes a function of jax, not a {type(function).__name__}")
    jitted: Any = function
    if not hasattr(function, "lower"):
        jitted = jax.jit(function, **options)
    elif options:
        names = ", ".join(options)
        raise ArgumentError(f"the function is jitted already: give {names} to jax.jit")
    if chip is not None:
        args = jax.tree.map(_on(chip, caller), tuple(args))
    return jitted.lower(*args).compile()


def _on(chip: str | Chip, caller: str) -> Callable[[Any], Any]:
    """A function that describes an argument as an array on a chip."""
    jax = jax_module(caller)
    topologies = jax_module(caller, "jax.experimental.topologies")
    name = chip_named(chip).name
    if name not in _TOPOLOGIES:
        known = ", ".join(_TOPOLOGIES)
        raise UnsupportedError(f"nothing here compiles for a {name}", f"The chips are {known}.")
    for variable, value in _ALONE.items():
        os.environ.setdefault(variable, value)
    try:
        topology = topologies.get_topology_desc(
            platform="tpu", topology_name=f"{name}:{_TOPOLOGIES[name]}"
        )
    except Exception as error:  # of no class in particular: no libtpu, another process has it, ...
        raise UnsupportedError(
            f"jax has no compiler for a {name} here: {str(error).partition(chr(10))[0]}",
            "pip install libtpu; it compiles without a TPU, on Linux with an x86-64.",
        ) from None
    device = jax.sharding.SingleDeviceSharding(topology.devices[0])

    def described(leaf: Any) -> Any:
        if not (hasattr(leaf, "shape") and hasattr(leaf, "dtype")):
            leaf = jax.numpy.asarray(leaf)
        return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=device)

    return described
