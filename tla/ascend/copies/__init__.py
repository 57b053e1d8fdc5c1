# SPDX-License-Identifier: Apache-2.0
"""Copies as layout facts: the instructions that move a tile, with every parameter, from two layouts.

Four routes feed the cube core and empty it: `gm_to_l1`, `l1_to_l0a`, `l1_to_l0b`, `l0c_to_gm`, and
`l1_to_bt` brings the bias. `gm_to_ub` and `ub_to_gm` serve the vector cores.
Each gives a `Transfer`: the calls, how many and why, what they read and
write, and `Transfer.proof`, which expands them element by element.
"""

from typing import TYPE_CHECKING

from ...ground import lazy

if TYPE_CHECKING:
    from .calls import Call as Call, Calls as Calls
    from .gm_l1 import gm_to_l1 as gm_to_l1
    from .gm_ub import gm_to_ub as gm_to_ub, ub_to_gm as ub_to_gm
    from .l0c_gm import l0c_to_gm as l0c_to_gm
    from .l1_bt import l1_to_bt as l1_to_bt
    from .l1_l0 import l1_to_l0a as l1_to_l0a, l1_to_l0b as l1_to_l0b
    from .matrix import Matrix as Matrix
    from .moves import Move as Move
    from .records import (
        DataCopyCO12DstParams as DataCopyCO12DstParams,
        DataCopyExtParams as DataCopyExtParams,
        DataCopyParams as DataCopyParams,
        Dn2NzParams as Dn2NzParams,
        FixpipeParamsC310 as FixpipeParamsC310,
        FixpipeParamsV220 as FixpipeParamsV220,
        LoadData2DMxParams as LoadData2DMxParams,
        LoadData2DParams as LoadData2DParams,
        LoadData2DParamsV2 as LoadData2DParamsV2,
        LoadData2dTransposeParams as LoadData2dTransposeParams,
        LoadData3DParamsV2 as LoadData3DParamsV2,
        Nd2NzParams as Nd2NzParams,
        Setting as Setting,
    )
    from .transfer import Proof as Proof, Transfer as Transfer

if TYPE_CHECKING:
    # for the rooms above
    from .gm_l1 import PAIRS as PAIRS
    from .records import cpp_text as cpp_text, fields_of as fields_of

lazy(__name__, guard=True)
