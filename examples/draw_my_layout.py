"""Draw a layout of your own: in the terminal, and as SVG, HTML and LaTeX into a directory.

Run: python examples/draw_my_layout.py
     python examples/draw_my_layout.py 'f32[3,5]{1,0:T(2,2)}' pictures
"""

import sys
from pathlib import Path

from tla import Layout, layout_figure, read, show, strip_figure, xla_bridge

TEXT = sys.argv[1] if len(sys.argv) > 1 else "((4,2),(4,3)):((4,16),(1,32))"

value = read(TEXT)  # any notation
layout = value if isinstance(value, Layout) else xla_bridge.to_layout(value)
cells, memory = layout_figure(layout), strip_figure(layout)
print(layout)
print(show.render(cells))
print(show.render(memory, width=100))

if len(sys.argv) > 2:
    directory = Path(sys.argv[2])
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "cells.svg").write_text(show.svg(cells), "utf-8")
    (directory / "memory.svg").write_text(show.svg(memory), "utf-8")
    (directory / "cells.html").write_text(show.html(cells), "utf-8")
    (directory / "cells.tex").write_text(show.latex(cells), "utf-8")
    print("written:", *sorted(map(str, directory.iterdir())))
