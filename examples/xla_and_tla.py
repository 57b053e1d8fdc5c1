"""The same functions in XLA's notation and in TLA's, both ways.

Run: python examples/xla_and_tla.py
"""

from tla import TlaError, parse, xla_bridge, zN

FROM_XLA = [
    "f32[2,3]{1,0}",
    "f32[2,3]{0,1}",
    "f32[3,5]{1,0:T(2,2)}",
    "f32[16,256]{1,0:T(8,128)}",
    "bf16[16,256]{1,0:T(8,128)(2,1)}",
    "f32[2,4,6]{2,1,0:T(*,4,3)}",
]
FROM_TLA = [
    parse("(2,3):(3,1)"),
    parse("((4,2),(4,3)):((4,16),(1,32))"),
    zN(5, 10, block=(4, 4)),
    parse("(4,4):(0,1)"),
    parse("(2,2):(3,2)"),
]

for text in FROM_XLA:
    shape = xla_bridge.parse_array(text)
    layout = xla_bridge.to_layout(shape)
    assert xla_bridge.equivalent(shape, layout)
    print(f"{text:39} = {layout}")
print()
for layout in FROM_TLA:
    try:
        print(f"{layout!s:39} = {xla_bridge.from_layout(layout, dtype='f32')}")
    except TlaError as error:
        print(f"{layout!s:39} has none: {error.summary.partition(': ')[2]}")
