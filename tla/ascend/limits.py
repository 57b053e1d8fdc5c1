"""The ranges of the instructions' parameters.

>>> print(LIMITS[2201][1])
Nd2Nz nValue 0..16384

Source: the tables of parameters of CANN's Ascend C API reference (DataCopy, LoadData, Mmad, Fixpipe);
where the reference states none for a generation, the type of the field in its struct.
"""

from __future__ import annotations

from typing import Final, NamedTuple

__all__ = ["LIMITS", "Limit"]


class Limit(NamedTuple):
    """The range of a parameter of an instruction, both ends included.

    >>> limit = LIMITS[2201][1]
    >>> limit.instruction, limit.parameter, limit.least, limit.most
    ('Nd2Nz', 'nValue', 0, 16384)
    """

    instruction: str
    parameter: str
    least: int
    most: int
    source: str

    def __str__(self) -> str:
        return f"{self.instruction} {self.parameter} {self.least}..{self.most}"


_REFERENCE: Final = "CANN Ascend C API reference"
_STRUCT: Final = "the type of the field, CATLASS tests/unittest/stub/kernel_struct_mm.h"

_16: Final = 2**16 - 1

_BOTH: Final = tuple(
    Limit(instruction, parameter, least, most, f"{_REFERENCE}, {where}")
    for instruction, where, rows in (
        ("DataCopy", "DataCopyParams", (("blockCount", 1, 4095), ("blockLen", 1, _16))),
        ("DataCopy", "DataCopyParams", (("srcStride", 0, _16), ("dstStride", 0, _16))),
        ("LoadData2D", "LoadData2DParams", (("startIndex", 0, _16), ("repeatTimes", 0, 255))),
        ("LoadData2D", "LoadData2DParams", (("srcStride", 0, _16), ("dstGap", 0, _16))),
        ("LoadDataWithTranspose", "LoadData2dTransposeParams", (("startIndex", 0, _16),)),
        ("LoadDataWithTranspose", "LoadData2dTransposeParams", (("repeatTimes", 0, 255),)),
        ("LoadDataWithTranspose", "LoadData2dTransposeParams", (("srcStride", 0, _16),)),
        ("LoadDataWithTranspose", "LoadData2dTransposeParams", (("dstGap", 0, _16),)),
        ("LoadDataWithTranspose", "LoadData2dTransposeParams", (("dstFracGap", 0, _16),)),
        ("Mmad", "MmadParams", (("m", 0, 4095), ("n", 0, 4095), ("k", 0, 4095))),
        ("Fixpipe", "Fixpipe parameters", (("nSize", 0, 4095), ("srcStride", 0, _16))),
    )
    for parameter, least, most in rows
)

LIMITS: Final[dict[int, tuple[Limit, ...]]] = {
    2201: (
        Limit("Nd2Nz", "ndNum", 0, 4095, f"{_REFERENCE}, Nd2NzParams"),
        Limit("Nd2Nz", "nValue", 0, 16384, f"{_REFERENCE}, Nd2NzParams"),
        Limit("Nd2Nz", "dValue", 0, _16, f"{_REFERENCE}, Nd2NzParams"),
        Limit("Nd2Nz", "srcNdMatrixStride", 0, _16, f"{_REFERENCE}, Nd2NzParams"),
        Limit("Nd2Nz", "srcDValue", 1, _16, f"{_REFERENCE}, Nd2NzParams"),
        Limit("Nd2Nz", "dstNzC0Stride", 1, 16384, f"{_REFERENCE}, Nd2NzParams"),
        Limit("Nd2Nz", "dstNzNStride", 1, 16384, f"{_REFERENCE}, Nd2NzParams"),
        Limit("Nd2Nz", "dstNzMatrixStride", 0, _16, f"{_REFERENCE}, Nd2NzParams"),
        # Into row-major memory; 65535 into zN.
        Limit("Fixpipe", "mSize", 0, 8192, f"{_REFERENCE}, FixpipeParamsV220 with NZ2ND"),
        Limit("Fixpipe", "dstStride", 1, 2**32 - 1, _STRUCT),
        *_BOTH,
    ),
    3510: (
        Limit("Nd2Nz", "ndNum", 0, 4095, f"{_REFERENCE}, Nd2NzParams"),
        Limit("Nd2Nz", "nValue", 0, 16384, f"{_REFERENCE}, Nd2NzParams"),
        Limit("Nd2Nz", "dValue", 0, 2**32 - 1, _STRUCT),
        Limit("Nd2Nz", "srcNdMatrixStride", 0, 2**64 - 1, _STRUCT),
        Limit("Nd2Nz", "srcDValue", 1, 2**64 - 1, _STRUCT),
        Limit("Nd2Nz", "dstNzC0Stride", 1, _16, _STRUCT),
        Limit("Nd2Nz", "dstNzNStride", 1, _16, _STRUCT),
        Limit("Nd2Nz", "dstNzMatrixStride", 0, 2**32 - 1, _STRUCT),
        Limit("LoadData2DV2", "mStartPosition", 0, 2**32 - 1, _STRUCT),
        Limit("LoadData2DV2", "kStartPosition", 0, 2**32 - 1, _STRUCT),
        Limit("LoadData2DV2", "mStep", 0, _16, _STRUCT),
        Limit("LoadData2DV2", "kStep", 0, _16, _STRUCT),
        Limit("LoadData2DV2", "dstStride", 0, _16, _STRUCT),
        Limit("Fixpipe", "mSize", 0, _16, f"{_REFERENCE}, FixpipeParamsArch3510"),
        Limit("Fixpipe", "dstStride", 1, 2**32 - 1, _STRUCT),
        *_BOTH,
    ),
}
"""The ranges of each instruction set, by its CATLASS_ARCH."""
