"""Layout tags: the layouts that CATLASS names, for every width of element, and which a layout is in.

- ``table``: every tag and the layout it makes; ``conv`` and ``mx`` for convolutions and scales;
  ``sizes``: the checks of what they are given;
- ``text``: ``zN<half>(20,48)`` read and written;
- ``recognise``: which tag a layout is in, and why not; it stands on ``forms``, what all layouts of a tag
  share, and ``fitting``, one layout against one form;
- ``building``: how a tag builds a layout, step by step.
"""
