"""Mistakes with data that moves: texts of no layout, layouts of other arrays, elements of another type."""

import tla
from tla import _1, _4, _8, _16, make_layout, zN

rows = make_layout((_4, _8), (_8, _1))
data = [[0] * 8] * 4

# texts
tla.pack(data, "s32[4,8")  # E: expected ']' or ',' after a dim, found the end of text
tla.unpack(range(32), "zM<half>(4,8)")  # E: 'zM' is not a layout tag
tla.view(range(32), "(4,8)")  # E: expected a layout, an XLA shape or the text of one, got str '(4,8)'
tla.mask("(M,8):(8,1)")  # E: (M,8):(8,1) has no place in memory while M has no value
tla.pack(data, layout="zN<half>(4,M)", fill=1)  # E: ((_16,1),(_16,(M+15)//16)):((_16,_256),(_1,256)):(4,M) has no place in memory while M has no value

# two layouts
tla.copy_plan("f32[4,8]", "f32[8,4]")  # E: (_4,_8):(_8,_1) holds data of shape (4,8), (_8,_4):(_4,_1) of shape (8,4)
tla.copy_plan(rows, make_layout(_16, _1))  # E: (_4,_8):(_8,_1) has 2 modes, _16:_1 has 1 mode
tla.copy_plan(rows, target="f32[32]{0}")  # E: (_4,_8):(_8,_1) has 2 modes, (_32):(_1) has 1 mode
tla.relayout(range(32), "f32[4,8]", "f16[4,8]")  # E: f32[4,8] has elements of f32, f16[4,8] of f16

# what a checker says by itself
tla.pack(data, 8)  # E[arg-type]: Argument 2 to "pack" has incompatible type "int"; expected ...

# no error: types do not tell the origin shape, what a dynamic int is, or what stands in a file
tla.copy_plan(zN(_4, _8), rows)
tla.copy_plan(zN(_4, _8), "f32[4,8]")


def of_rows(m: int = 4) -> None:
    some = make_layout((m, _8), (_8, _1))
    tla.relayout(range(32), some, "s32[4,8]{0,1}")
    tla.copy_plan(some, make_layout(m, _1))  # E: (int,_8):(_8,_1) has 2 modes, int:_1 has 1 mode
