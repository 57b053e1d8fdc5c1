# SPDX-License-Identifier: Apache-2.0
"""How a tag builds a layout, and why a layout is not in a tag, as steps to show.

>>> from tla.ascend import parse_tagged
>>> figure = steps_of(parse_tagged("zN<half>(20,48)"))
>>> for row in figure.rows:
...     print(" | ".join(row))
inside the column block | _16 | _1 | C0: as many elements of 16 bits as 32 bytes hold
inside the row block | _16 | _16 | fixed by the tag
the row blocks | 2 | _256 | 20 rows, 12 of padding
the column blocks | 3 | 512 | 48 columns

The leaves stand in the order of memory, the fastest first. The stride of each leaf steps over all leaves
above it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...ground import Steps
from ...layouts import text_of
from ...numbers import known_eq
from .fitting import words_of
from .forms import FORMS, Form, Leaf, leaf_place
from .table import TAGS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...layouts import AnyLayout
    from .fitting import Reason
    from .recognise import Recognition
    from .text import TaggedLayout


def steps_of(tagged: TaggedLayout) -> Steps:
    """Return how a tag builds a layout, leaf by leaf from the fastest on."""
    form, layout = FORMS[tagged.tag], tagged.layout
    copies = len(layout.shape) - len(form.modes)
    form = form.with_batch(copies)
    rows = [_leaf_row(tagged, form, leaf, copies) for leaf in form.leaves()]
    return Steps(
        str(tagged),
        (TAGS[tagged.tag].about, _footprint(tagged)),
        ("leaf", "size", "stride", ""),
        tuple(rows),
        (),
        str(layout),
    )


def _footprint(tagged: TaggedLayout) -> str:
    """The memory of the layout, and how much of it is data."""
    layout, bits = tagged.layout, tagged.element.bits
    data, room = layout.valid_size, layout.cosize
    room_text = f"{room} elements of {bits} bits"
    if known_eq(data, room) is True:
        return f"it takes {room_text}, all of them data"
    return f"it spans {room_text}, {data} of them data"


def _leaf_row(tagged: TaggedLayout, form: Form, leaf: Leaf, copies: int) -> tuple[str, str, str, str]:
    layout = tagged.layout
    shape, stride = layout.shape[leaf.mode], layout.stride[leaf.mode]
    if form.is_nested(leaf.mode):
        size, step = shape[leaf.level], stride[leaf.level]
    else:
        size, step = shape, stride
    if leaf.size == "block" and any(name in ("block", "c0") for name, _x in tagged.options):
        why = "as given"
    elif leaf.size in ("C0", "block"):
        why = f"C0: as many elements of {tagged.element.bits} bits as 32 bytes hold"
    elif leaf.size != "count":
        why = "fixed by the tag"
    elif leaf.mode < copies:
        why = "copies, one footprint apart" if leaf.mode == copies - 1 else "copies of those"
    else:
        why = _count_words(layout, form, leaf, dict(tagged.options).get("ld"), step)
    return leaf_place(form, leaf), text_of(size), text_of(step), why


def _count_words(layout: AnyLayout, form: Form, leaf: Leaf, ld: Any, step: Any) -> str:
    """What a count counts, and the padding."""
    data, mode = layout.origin_shape[leaf.mode], form.modes[leaf.mode]
    room: Any = layout.shape[leaf.mode]
    if form.is_nested(leaf.mode):
        room = room[0] * room[1]
    words = [f"{data} {mode}s"] if mode in ("row", "column", "element") else []
    if known_eq(room, data) is not True:
        words.append(f"{room - data} of padding")
    if ld is not None and known_eq(step, ld) is True:
        words.append("ld apart")
    return ", ".join(words)


# --- recognition ------------------------------------------------------------------------------


def figure_of(recognition: Recognition) -> Steps:
    """Return whether a layout is in a tag, as steps: the sizes that made it, or where it differs."""
    title = f"{recognition.layout} as {recognition.name}"
    if recognition.answer:
        rows = tuple([(name, text_of(x)) for name, x in recognition.sizes])
        return Steps(title, (), ("made of", ""), rows, (), f"it is {recognition.name}")
    columns = ("part", "is", f"{recognition.tag} has", "")
    if recognition.answer is None:
        result = f"open: whether it is {recognition.name} depends on {_all_of(recognition)}"
    else:
        result = f"it is not {recognition.name}"
    return Steps(title, (), columns, tuple(map(_cells, recognition.reasons)), (), result)


def _all_of(recognition: Recognition) -> str:
    return " and ".join(dict.fromkeys(str(reason.obligation) for reason in recognition.reasons))


def _cells(reason: Reason) -> tuple[str, str, str, str]:
    note = reason.witness if reason.obligation is None else f"whether {reason.obligation}"
    return reason.part, words_of(reason.found), words_of(reason.wanted), note


def tags_figure(layout: AnyLayout, every: Sequence[Recognition]) -> Steps:
    """Return the tags that a layout is in, or may be in, and where it differs from the other tags.

    Args:
        every: The `recognitions` of the layout.
    """
    names: dict[bool | None, list[str]] = {True: [], None: [], False: []}
    rows: list[tuple[str, str, str]] = []
    for recognition in every:
        names[recognition.answer].append(recognition.name)
        if recognition.answer is not False or _is_near(recognition):
            rows.append((recognition.name, _ANSWERS[recognition.answer], _why(recognition)))
    rows.sort(key=lambda row: row[1] == "no")
    words = [f"it is {', '.join(names[True])}"] if names[True] else []
    words += [f"open: {', '.join(names[None])}"] if names[None] else []
    return Steps(
        f"tags of {layout}",
        (),
        ("tag", "", ""),
        tuple(rows),
        (),
        "; ".join(words) or "it is in no tag",
    )


_ANSWERS = {True: "yes", None: "open", False: "no"}


def _why(recognition: Recognition) -> str:
    if recognition.answer is None:
        return f"depends on {_all_of(recognition)}"
    if recognition.answer is False:
        return str(recognition.reasons[0])
    return ", ".join(f"{name} {text_of(x)}" for name, x in recognition.sizes)


def _is_near(recognition: Recognition) -> bool:
    """Whether the layout has the modes of the tag, so that its numbers can be compared."""
    return not any(
        reason.part.startswith(("number", "shape", "element")) for reason in recognition.reasons
    )
