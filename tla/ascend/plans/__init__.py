"""Plans of a matrix product: what is tiled how on which core, whether that is legal, and its C++.

- ``plan``: a product, its tiles, policy and swizzle, with all that follows from them; ``defaults``;
- ``policies`` and ``families``: the dispatch policies of CATLASS as one table;
- ``footprint``: what a tile takes of each buffer, stage by stage; ``asserts``: what CATLASS demands;
- ``legality`` and its ``findings``: the rules, in ``buffer_rules``, ``copy_rules``, ``memory_rules``;
  ``nearby``: the nearest tile that fits;
- ``dynamic``: the tile and kernel that CATLASS's dynamic host chooses;
- ``kernels``: the kernel of CATLASS that takes a policy and a swizzle; ``emit``: the C++ of a plan.
"""
