"""The algebra of layouts in pictures and steps: a walk for those who teach or learn it.

Each cell can be run by itself in an editor that knows `# %%`; or run the whole:
     python examples/walk_layout_algebra.py
     python examples/walk_layout_algebra.py pictures     (writes the figures there, as SVG)

Guess first, then run the cell.
"""

# %% 1. A layout is a function. What are its values at (0,0), (1,0), (0,1), ...?
import sys
from pathlib import Path

from tla import (
    TlaError,
    coalesce,
    complement,
    composition,
    layout_figure,
    parse,
    right_inverse,
    show,
    zipped_divide,
)
from tla.explain import divide_table, explain, explain_coordinate, explain_error
from tla.ground.figure import AnyFigure

PICTURES = Path(sys.argv[1]) if len(sys.argv) > 1 else None


def draw(name: str, figure: AnyFigure) -> None:
    """Print a figure, and write it where a directory is given."""
    print(show.render(figure, width=100))
    if PICTURES is not None:
        PICTURES.mkdir(parents=True, exist_ok=True)
        (PICTURES / f"{name}.svg").write_text(show.svg(figure), "utf-8")


def values(text: str) -> list[int]:
    """All values of a layout, mode 0 fastest."""
    layout = parse(text)
    return [layout(i) for i in range(layout.size)]


print("1. Values of (2,3):(3,1):", values("(2,3):(3,1)"))
draw("function", layout_figure(parse("(2,3):(3,1)")))

# %% 2. Nested modes: a row is now a pair of numbers. Find element (1,5) before you look
print("\n2. Element (1,5) of ((4,2),(4,3)):((4,16),(1,32))")
draw("nested", explain_coordinate(parse("((4,2),(4,3)):((4,16),(1,32))"), (1, 5)))

# %% 3. Coalesce: the same function of one number with fewer modes. Which of these two shrinks?
print("\n3. Coalesce")
for text in ("(2,4):(1,2)", "(2,4):(4,1)"):
    print(f"   {text} -> {coalesce(parse(text))}, values {values(text)}")

# %% 4. Composition: after b, a. The steps say which part of a each mode of b takes
a, b = parse("(6,2):(8,2)"), parse("(4,3):(3,1)")
c = composition(a, b)
print(f"\n4. {a} after {b} is {c}")
draw("composition", explain("composition", a, b).figure())
assert all(c(i) == a(b(i)) for i in range(b.size))

# %% 5. ... and where there is none, a coordinate shows it
print("\n5. (4,4):(16,1) after 6:1")
try:
    composition(parse("(4,4):(16,1)"), parse("6:1"))
except TlaError as error:
    print(error)
    refused = explain_error(error)
    assert refused is not None
    draw("undefined", refused)

# %% 6. An inverse: from the offset to the number of the coordinate
rows = parse("(2,3):(3,1)")
back = right_inverse(rows)
print(f"\n6. {rows} inverted is {back}:", [back(rows(i)) for i in range(rows.size)])

# %% 7. Complement: what a layout leaves out. Which offsets below 24 does (2,2):(1,6) not reach?
print("\n7. Complement of (2,2):(1,6) in 24:", complement(parse("(2,2):(1,6)"), 24))
draw("complement", explain("complement", parse("(2,2):(1,6)"), 24).figure())

# %% 8. Divide: the tiles, and within each the elements. Four ways to group the same cells
print("\n8. (4,6):(6,1) in tiles of 2 by 3")
draw("divide", divide_table(parse("(4,6):(6,1)"), (2, 3)))

# %% 9. A tiler by shape goes mode by mode; a layout counts through all modes as one
print("\n9. (12,32):(1,12) by the shape (4,8), and by the layout (4,8):(1,4)")
print("  ", zipped_divide(parse("(12,32):(1,12)"), (4, 8)))
print("  ", zipped_divide(parse("(12,32):(1,12)"), parse("(4,8):(1,4)")))
