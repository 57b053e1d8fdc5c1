"""Tuning: what a plan costs by a model whose constants are stated, and the tiles that cost least.

- ``cost``: the estimate of a plan; ``estimates``: its record, in words; ``pipes``: the model;
- ``bandwidth``: what rows of a length and alignment reach of it; ``loads``: the work of each core;
- ``tiles``: every legal tile of a product, ranked; ``tuner``: the ranking as CATLASS's tuner reads it.
"""
