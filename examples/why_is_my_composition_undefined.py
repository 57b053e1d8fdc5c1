"""Why is there no layout for A after B, where does it fail, and what would do?

Run: python examples/why_is_my_composition_undefined.py
"""

from tla import DivisibilityError, composition, parse, show
from tla.explain import explain, explain_error

ASKED = [
    ("(6,2):(8,2)", "(4,3):(3,1)"),  # there is one
    ("(4,4):(16,1)", "6:1"),  # 6 coordinates do not end where a column of A does
    ("(4,4):(16,1)", "4:1"),  # 4 do
    ("(4,6):(1,10)", "3:2"),  # every second one: two of them fit into a mode of 4, three do not
    ("(6,2):(1,7)", "(3,2):(2,3)"),  # the modes of B carry into each other
]

for text_a, text_b in ASKED:
    a, b = parse(text_a), parse(text_b)
    wanted = [a.extended(b(i)) for i in range(b.size)]  # what a layout would have to give
    try:
        result = composition(a, b)
    except DivisibilityError as error:
        print(error)
        print(f"  A(B(i)) is {wanted}; at {error.coord} it would have to be {error.layout_value}.")
        refused = explain_error(error)
        assert refused is not None
        print(show.render(refused), end="\n\n")
    else:
        print(show.render(explain("composition", a, b).figure()))
        print(f"  A(B(i)) is {wanted}, and so is the layout's.\n")
        assert wanted == [result(i) for i in range(b.size)]
