# SPDX-License-Identifier: Apache-2.0
"""The ranges of the instructions' parameters.

>>> print(LIMITS[2201][1])
Nd2Nz nValue 0..16384

Source: the tables of parameters of CANN's Ascend C API reference (DataCopy, LoadData, Mmad, Fixpipe);
if the reference states none for a generation, the type of the field in its struct.
"""

from __future__ import annotations

from typing import Final, NamedTuple


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


def _limits(instruction: str, source: str, *rows: tuple[str, int, int]) -> tuple[Limit, ...]:
    """The ranges of the parameters of an instruction that one source states."""
    return tuple(Limit(instruction, name, least, most, source) for name, least, most in rows)


_BOTH: Final = (
    *_limits(
        "DataCopy", f"{_REFERENCE}, DataCopyParams",
        ("blockCount", 1, 4095), ("blockLen", 1, _16), ("srcStride", 0, _16), ("dstStride", 0, _16),
    ),
    *_limits(
        "LoadData2D", f"{_REFERENCE}, LoadData2DParams",
        ("startIndex", 0, _16), ("repeatTimes", 0, 255), ("srcStride", 0, _16), ("dstGap", 0, _16),
    ),
    *_limits(
        "LoadDataWithTranspose", f"{_REFERENCE}, LoadData2dTransposeParams",
        ("startIndex", 0, _16), ("repeatTimes", 0, 255), ("srcStride", 0, _16), ("dstGap", 0, _16),
        ("dstFracGap", 0, _16),
    ),
    *_limits("Mmad", f"{_REFERENCE}, MmadParams", ("m", 0, 4095), ("n", 0, 4095), ("k", 0, 4095)),
    *_limits("Fixpipe", f"{_REFERENCE}, Fixpipe parameters", ("nSize", 0, 4095), ("srcStride", 0, _16)),
)  # fmt: skip

LIMITS: Final[dict[int, tuple[Limit, ...]]] = {
    2201: (
        *_limits(
            "Nd2Nz", f"{_REFERENCE}, Nd2NzParams",
            ("ndNum", 0, 4095), ("nValue", 0, 16384), ("dValue", 0, _16), ("srcNdMatrixStride", 0, _16),
            ("srcDValue", 1, _16), ("dstNzC0Stride", 1, 16384), ("dstNzNStride", 1, 16384),
            ("dstNzMatrixStride", 0, _16),
        ),
        # Into row-major memory; 65535 into zN.
        Limit("Fixpipe", "mSize", 0, 8192, f"{_REFERENCE}, FixpipeParamsV220 with NZ2ND"),
        Limit("Fixpipe", "dstStride", 1, 2**32 - 1, _STRUCT),
        *_BOTH,
    ),
    3510: (
        *_limits("Nd2Nz", f"{_REFERENCE}, Nd2NzParams", ("ndNum", 0, 4095), ("nValue", 0, 16384)),
        *_limits(
            "Nd2Nz", _STRUCT,
            ("dValue", 0, 2**32 - 1), ("srcNdMatrixStride", 0, 2**64 - 1), ("srcDValue", 1, 2**64 - 1),
            ("dstNzC0Stride", 1, _16), ("dstNzNStride", 1, _16), ("dstNzMatrixStride", 0, 2**32 - 1),
        ),
        *_limits(
            "LoadData2DV2", _STRUCT,
            ("mStartPosition", 0, 2**32 - 1), ("kStartPosition", 0, 2**32 - 1), ("mStep", 0, _16),
            ("kStep", 0, _16), ("dstStride", 0, _16),
        ),
        Limit("Fixpipe", "mSize", 0, _16, f"{_REFERENCE}, FixpipeParamsArch3510"),
        Limit("Fixpipe", "dstStride", 1, 2**32 - 1, _STRUCT),
        *_BOTH,
    ),
}  # fmt: skip
"""The ranges of each instruction set, by its CATLASS_ARCH."""
