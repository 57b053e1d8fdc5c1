"""From an HLO shape to offsets, nested layouts and back: a walk for those who read what XLA writes.

Each cell can be run by itself in an editor that knows `# %%`; or run the whole:
     python examples/walk_xla_and_tla.py
     python examples/walk_xla_and_tla.py pictures     (writes the figures there, as SVG)
"""

# %% The text of a shape: dims, their order in memory from the fastest on, tiles
import sys
from pathlib import Path

from tla import TlaError, layout_figure, memory, parse, show, xla_bridge
from tla.ground.figure import AnyFigure
from tla.hlo import read_module
from tla.indexing import compose, from_layout, output_to_input, simplify

PICTURES = Path(sys.argv[1]) if len(sys.argv) > 1 else None


def draw(name: str, figure: AnyFigure) -> None:
    """Print a figure, and write it where a directory is given."""
    print(show.render(figure, width=100))
    if PICTURES is not None:
        PICTURES.mkdir(parents=True, exist_ok=True)
        (PICTURES / f"{name}.svg").write_text(show.svg(figure), "utf-8")


shape = xla_bridge.parse_array("f32[3,5]{1,0:T(2,2)}")
print(f"1. {shape}: dims {shape.dimensions}, fastest first {shape.minor_to_major}, tiles {shape.tiles}")

# %% 2. Where an element lies: XLA's two definitions, and the nested layout, agree
print("\n2. Element (2,3)")
draw("steps", xla_bridge.tiling_steps(shape, (2, 3)).figure())
layout = xla_bridge.to_layout(shape)
print(f"   as a nested layout {layout}")
print(f"   which says {layout(2, 3)} too; memory is {layout.cosize} long")

# %% 3. One mode for each dim, its fastest digit first; padding is what lies outside the origin shape
print("\n3. The same for what TPUs use")
for text in (
    "f32[16,256]{1,0:T(8,128)}",
    "bf16[16,256]{1,0:T(8,128)(2,1)}",
    "bf16[3,200]{0,1:T(8,128)(2,1)}",
):
    there = xla_bridge.to_layout(xla_bridge.parse_array(text))
    print(f"   {text:32} {there}")
    print(f"   {'':32} {there.valid_size:d} of {there.size:d} elements hold data")

# Two rows of bf16 share the words of 32 bits: the second tile of 2 by 1 puts them side by side.
halves = xla_bridge.to_layout(xla_bridge.parse_array("bf16[16,256]{1,0:T(8,128)(2,1)}"))
draw("halves", layout_figure(halves, rows=4, columns=8))

# %% 4. And back: which layouts have tiles, and why others have none
print("\n4. From nested layouts to XLA")
for text in (
    "((2,4,2),(128,2)):((1,256,2048),(2,1024))",
    "((4,2),(4,3)):((4,16),(1,32))",
    "(4,4):(0,1)",
):
    try:
        print(f"   {text:43} {xla_bridge.from_layout(parse(text), dtype='bf16')}")
    except TlaError as error:
        print(f"   {text:43} {error.summary}")

# %% 5. A module: what its buffers waste, and what a copy moves
MODULE = """
HloModule m, is_scheduled=true

ENTRY e {
  p0 = f32[1000,4]{1,0:T(8,128)} parameter(0)
  turned = f32[4,1000]{1,0:T(4,128)} transpose(p0), dimensions={1,0}
  ROOT piece = f32[2,1000]{1,0:T(2,128)} slice(turned), slice={[1:4:2], [0:1000]}
}"""
module = read_module(MODULE)
print("\n5. Buffers")
for instruction in module.entry.instructions:
    array = xla_bridge.array_shape(instruction.shape)
    data, taken = xla_bridge.logical_bytes(array), xla_bridge.physical_bytes(array)
    print(f"   {instruction.name:7} {array!s:27} {taken:7} bytes for {data:6} of data", end=": ")
    print(*memory.array_waste(array).factors, sep="; ")

# %% 6. An access, followed through the module into memory
turned, piece = module.entry.instruction("turned"), module.entry.instruction("piece")
((first,),), ((second,),) = output_to_input(piece), output_to_input(turned)
reads = simplify(compose(first, second))
place = compose(reads, from_layout(module.entry.instruction("p0").shape))
print(f"\n6. piece reads {reads} of p0")
print(f"   so element (1,7) of piece is element {reads.evaluate((1, 7))} of p0,")
print(f"   at {place.evaluate((1, 7))[0]} of its memory")
