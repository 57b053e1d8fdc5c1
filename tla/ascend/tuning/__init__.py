# SPDX-License-Identifier: Apache-2.0
"""Tuning: the time of a plan by a model with stated constants, and the fastest tiles.

- ``cost``: the estimate of a plan; ``estimates``: its record, in words; ``pipes``: the model;
- ``bandwidth``: the part of it that rows of a length and alignment reach; ``loads``: the work of each
  core;
- ``attention``: the same for tiles of attention;
- ``tiles``: every legal tile of a product, ranked; ``sweep``: the best of many products;
- ``tuner``: the ranking as CATLASS's tuner reads it.
"""

from typing import TYPE_CHECKING

from ...ground import lazy

if TYPE_CHECKING:
    from .attention import (
        AttentionEstimate as AttentionEstimate,
        estimate_attention as estimate_attention,
        search_attention as search_attention,
    )
    from .cost import estimate as estimate
    from .estimates import PIPES as PIPES, Estimate as Estimate, in_us as in_us
    from .sweep import Found as Found, search_many as search_many
    from .tiles import Query as Query, Ranking as Ranking, search as search
    from .tuner import registration as registration

lazy(__name__, guard=True)
