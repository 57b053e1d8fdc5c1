# SPDX-License-Identifier: Apache-2.0
"""The commands of ``tla``, each with its help."""

from __future__ import annotations

from typing import Final

# Each command is a module here with `run(arguments) -> exit code`; `main` tells `completion` of parsers.
COMMANDS: Final = {
    "convert": "Convert a layout between the notations of TLA and XLA.",
    "show": "Draw the offsets of a layout: as text, SVG, HTML or LaTeX.",
    "hlo": "List the buffers of an HLO module, the most waste first; or what is live at its peak.",
    "oom": "Check an out-of-memory report of a TPU, and say what would cost less.",
    "pallas": "Say what VMEM the blocks of a Pallas kernel take, whether they fit, and what would.",
    "sharding": "Say which device has which slice of an array, and what moves when that changes.",
    "index": "Say which elements an HLO instruction reads, as indexing maps; simplify a map.",
    "compose": "Compose two layouts: the offsets of A at the indices that B gives.",
    "complement": "Give the layout of the offsets that a layout leaves free.",
    "coalesce": "Merge the modes of a layout as far as possible.",
    "inverse": "Invert a layout: from an offset back to the index.",
    "divide": "Split a layout into tiles and the rest.",
    "product": "Repeat a block over a tiler.",
    "banks": "Count the bank conflicts of an access to shared memory, and cure them by a swizzle.",
    "ascend": "Plan a matrix product on an Ascend core: check tiles, rank them; record kernels.",
    "where": "Say where an element of a shape or layout lies in memory.",
    "what": "Say which element, or padding, lies at a place in memory.",
    "diff": "Compare two layouts of one array: what differs, and in what runs a copy moves.",
    "pack": "Write the memory that holds an array by a layout, as bytes.",
    "unpack": "Read the array that memory holds by a layout, such as a dump of a TPU.",
    "relayout": "Write memory by another layout, or say what loops do that.",
    "explain": "Tell how an offset, an operation or a tiling comes about, step by step.",
    "cpp": "Rewrite a compiler's errors with layouts in notation, or print the C++ of a layout.",
    "eval": "Evaluate an expression over layouts, such as 'coalesce((2,3):(1,2))'.",
    "learn": "Learn layouts by exercises that are checked; make sheets of them, and grade answers.",
    "playground": "Write a page in which layouts are typed, dragged and explained, without a network.",
    "completion": "Print the script with which bash, zsh or fish completes commands and options.",
}

# Each is a module `ascend_NAME` with `run(arguments) -> exit code`.
SUBCOMMANDS: Final = {
    "show": "Show an architecture: buffers, cores, alignments, limits, and where each is stated.",
    "check": "Check a plan: whether each rule holds, what each buffer needs and has, what would fit.",
    "emit": "Write the C++ program of a plan, or an example of CATLASS with the plan's parameters.",
    "schedule": "Show which core computes which block when, and prove that every tile is computed once.",
    "search": "Rank the legal tiles of a problem by a cost model.",
    "copy": "Give the instructions that move a tile from one layout to another, with their parameters.",
    "record": "Compile a CATLASS kernel for this machine, and write what it issues as a trace.",
    "translate": "Write the C++ program of a kernel that is written in Python.",
    "run": "Run a kernel, recorded or in Python, on bytes; check for races, deadlocks, stale reads.",
}
