"""Which elements does an instruction read, where do they lie, and how far apart?

Run: python examples/follow_an_access.py
"""

from tla.hlo import read_module
from tla.indexing import (
    compose,
    from_layout,
    input_to_output,
    layout_and_offset,
    output_to_input,
    simplify,
)

MODULE = """
ENTRY e {
  p0 = f32[256,16]{1,0:T(8,128)} parameter(0)
  turned = f32[16,256] transpose(p0), dimensions={1,0}
  ROOT piece = f32[4,64] slice(turned), slice={[2:10:2], [64:128]}
}"""

entry = read_module(MODULE).entry
turned, piece = entry.instruction("turned"), entry.instruction("piece")
((of_piece,),), ((of_turned,),) = output_to_input(piece), output_to_input(turned)
print(f"piece reads of turned  {of_piece}")
print(f"turned reads of p0     {of_turned}")

whole = simplify(compose(of_piece, of_turned))
print(f"so piece reads of p0   {whole}")
print(f"element (1,5) of piece is element {whole.evaluate((1, 5))} of p0")

memory = entry.instruction("p0").shape
place = compose(whole, from_layout(memory))
print(f"\np0 is {memory}: there it lies at {place.evaluate((1, 5))[0]}")
layout, start = layout_and_offset(whole, into=memory)
print(f"all of piece lies there from {start} on, as {layout}")

((back,),) = input_to_output(turned)
print(f"\nand back, from p0 to turned: {back}")
