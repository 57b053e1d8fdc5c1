"""One copy loop for every layout: the loop knows coordinates, the layouts know memory.

Run: python examples/copy_once_many_layouts.py
"""

from tla import AnyLayout, layout_figure, parse, row_major, show, xla_bridge, zN


def copy(source: list[str], of: AnyLayout, target: list[str], to: AnyLayout) -> None:
    """Copy each element that both hold. No layout is named here."""
    rows, columns = to.origin_shape
    for i in range(rows):
        for j in range(columns):
            target[to(i, j)] = source[of(i, j)]


SHAPE = 3, 5
TEXT = "abcdefghijklmno"
layouts = {
    "by columns": parse("(3,5):(1,3)"),
    "rows of 8": parse("(3,5):(8,1)"),
    "tiles of 2 by 2": xla_bridge.to_layout(xla_bridge.parse_array("f32[3,5]{1,0:T(2,2)}")),
    "zN with 2 by 4": zN(*SHAPE, block=(2, 4)),
}

source, rows = list(TEXT), row_major(*SHAPE)
print("by rows         ", TEXT)
for name, layout in layouts.items():
    memory = ["."] * layout.cosize
    copy(source, rows, memory, layout)
    back = ["."] * len(source)
    copy(memory, layout, back, rows)
    assert back == source
    print(f"{name:16} {''.join(memory):25} {layout}")

print("\nDots are padding or gaps. Where the elements of the last lie:")
print(show.render(layout_figure(layouts["zN with 2 by 4"])))
