"""Copies as layout facts: the instructions that move a tile, with every parameter, from two layouts.

Four routes feed the cube core and empty it: `gm_to_l1`, `l1_to_l0a`, `l1_to_l0b`, `l0c_to_gm`, and
`l1_to_bt` brings the bias. Each gives a `Transfer`: the calls, how many and why, what they read and
write, and `Transfer.proof`, which expands them element by element.
"""

import typing as _typing

if _typing.TYPE_CHECKING:
    from .calls import Call, Calls
    from .gm_l1 import gm_to_l1
    from .l0c_gm import l0c_to_gm
    from .l1_bt import l1_to_bt
    from .l1_l0 import l1_to_l0a, l1_to_l0b
    from .matrix import Matrix
    from .moves import Move
    from .records import (
        DataCopyCO12DstParams,
        DataCopyParams,
        Dn2NzParams,
        FixpipeParamsV220,
        LoadData2DMxParams,
        LoadData2DParams,
        LoadData2DParamsV2,
        LoadData2dTransposeParams,
        LoadData3DParamsV2,
        Nd2NzParams,
        Setting,
    )
    from .transfer import Proof, Transfer
else:
    _LATER = {
        "Call": "calls",
        "Calls": "calls",
        "gm_to_l1": "gm_l1",
        "l0c_to_gm": "l0c_gm",
        "l1_to_bt": "l1_bt",
        "l1_to_l0a": "l1_l0",
        "l1_to_l0b": "l1_l0",
        "Move": "moves",
        "Matrix": "matrix",
        "Proof": "transfer",
        "Transfer": "transfer",
        **dict.fromkeys(
            (
                "DataCopyCO12DstParams",
                "DataCopyParams",
                "Dn2NzParams",
                "FixpipeParamsV220",
                "LoadData2DMxParams",
                "LoadData2DParams",
                "LoadData2DParamsV2",
                "LoadData2dTransposeParams",
                "LoadData3DParamsV2",
                "Nd2NzParams",
                "Setting",
            ),
            "records",
        ),
    }

    def __getattr__(name):
        """Load what is public and not here yet."""
        from importlib import import_module

        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(f".{_LATER[name]}", __name__), name)
        return value

    def __dir__():
        return sorted({*globals(), *_LATER})


__all__ = [
    "Call",
    "Calls",
    "DataCopyCO12DstParams",
    "DataCopyParams",
    "Dn2NzParams",
    "FixpipeParamsV220",
    "LoadData2DMxParams",
    "LoadData2DParams",
    "LoadData2DParamsV2",
    "LoadData2dTransposeParams",
    "LoadData3DParamsV2",
    "Matrix",
    "Move",
    "Nd2NzParams",
    "Proof",
    "Setting",
    "Transfer",
    "gm_to_l1",
    "l0c_to_gm",
    "l1_to_bt",
    "l1_to_l0a",
    "l1_to_l0b",
]
