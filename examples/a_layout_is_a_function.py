"""What is a layout? A function from coordinates to offsets; everything else follows from that.

Run: python examples/a_layout_is_a_function.py
"""

from tla import composition, coords, layout_figure, parse, show, strip_figure

rows = parse("(2,3):(3,1)")  # shape : stride
print(f"{rows}, a matrix of 2 rows and 3 columns:")
print(show.render(layout_figure(rows)))
print(f"  coordinate (1,2): 1*3 + 2*1 = {rows(1, 2)}")
print(f"  the 5th coordinate, mode 0 fastest: {rows(5)}")
print(f"  all of them: {[rows(i) for i in range(rows.size)]}")

print("\nThe same shape with other strides is another order, gaps, or the same place for many:")
for text in ("(2,3):(1,2)", "(2,3):(4,1)", "(2,3):(0,1)", "(2,3):(-3,1)"):
    other = parse(text)
    print(f"  {text:13} {[other(*at) for at in coords(other.shape)]}")

gaps = parse("(2,3):(4,1)")
print(f"\nMemory of {gaps}, one place after the other; place 3 is of no coordinate:")
print(show.render(strip_figure(gaps)))

# A function after a function is a function: where do the columns of the second lie in the first?
print("Every other column:", composition(rows, parse("(2,2):(1,4)")))
