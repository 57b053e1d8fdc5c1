"""At which element, byte and bit does an element lie, and which element lies at a place?

Run: python examples/where_does_an_element_lie.py
"""

from tla import show, xla_bridge

ASKED = {
    "f32[3,5]{1,0:T(2,2)}": (2, 3),
    "bf16[16,256]{1,0:T(8,128)(2,1)}": (3, 130),
    "s4[3,5]{1,0:T(2,2)E(4)}": (2, 3),
}

for text, index in ASKED.items():
    shape = xla_bridge.parse_array(text)
    offset = xla_bridge.physical_offset(shape, index)
    bits = xla_bridge.bit_address(shape, index)
    print(f"{shape}, element {index}:")
    print(f"  offset {offset}: byte {bits // 8}, bit {bits % 8} of it")
    for place in (offset, offset + 1, offset + 2):
        print(f"  at {place:3} lies {xla_bridge.element_at(shape, place)}")

print("\nThe way of an element through the tiles:")
steps = xla_bridge.tiling_steps(xla_bridge.parse_array("f32[3,5]{1,0:T(2,2)}"), (2, 3))
print(show.render(steps.figure()))
