"""Kernel tiling for Ascend: architectures, layout tags, copies, plans, schedules, search.

The words are CATLASS's. The modules, by their subjects:

- what there is: ``arch``, ``elements``, ``shapes``;
- layouts: ``tags``, and ``recognise`` for what a layout is;
- instructions: ``copies``;
- a product: ``policies``, ``plan`` and its ``legality``, ``schedules``, ``search``.
"""

import typing as _typing

if _typing.TYPE_CHECKING:
    from .arch import ARCHES, Arch, Ascend950, AtlasA2, AtlasA3
    from .elements import ELEMENTS, Element, element
    from .shapes import GemmCoord, GemmShape, gemm_shape
else:
    _LATER = {
        "ARCHES": "arch",
        "Arch": "arch",
        "Ascend950": "arch",
        "AtlasA2": "arch",
        "AtlasA3": "arch",
        "ELEMENTS": "elements",
        "Element": "elements",
        "element": "elements",
        "GemmCoord": "shapes",
        "GemmShape": "shapes",
        "gemm_shape": "shapes",
    }
    _ROOMS = ("copies", "schedules")

    def __getattr__(name):
        """Load what is public and not here yet."""
        from importlib import import_module

        if name in _ROOMS:
            return import_module(f".{name}", __name__)
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(f".{_LATER[name]}", __name__), name)
        return value

    def __dir__():
        return sorted({*globals(), *_LATER, *_ROOMS})


__all__ = [
    "ARCHES",
    "ELEMENTS",
    "Arch",
    "Ascend950",
    "AtlasA2",
    "AtlasA3",
    "Element",
    "GemmCoord",
    "GemmShape",
    "element",
    "gemm_shape",
]
