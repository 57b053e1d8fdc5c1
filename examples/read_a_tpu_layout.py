"""Where does a TPU keep an element, and what does the padding cost?

Run: python examples/read_a_tpu_layout.py
"""

from tla import xla_bridge

TEXT = "bf16[3,200]{1,0:T(8,128)(2,1)}"
ELEMENT = (2, 150)

shape = xla_bridge.parse_array(TEXT)
layout = xla_bridge.to_layout(shape)

print(shape)
print(f"  as a nested layout    {layout}")
print(f"  cut to the data       {layout.trimmed()}")
print(f"  element {ELEMENT} is at   {layout(*ELEMENT)}")
print(f"  the data take         {xla_bridge.logical_bytes(shape)} bytes")
print(f"  the memory takes      {xla_bridge.physical_bytes(shape)} bytes")

# The tiles do not depend on the data alone: a layout that puts the long dim first wastes less.
for order in ((1, 0), (0, 1)):
    other = xla_bridge.XlaShape("bf16", shape.dimensions, order, shape.tiles)
    print(f"  {other}: {xla_bridge.physical_bytes(other)} bytes")
