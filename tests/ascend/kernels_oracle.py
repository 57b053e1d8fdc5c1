# SPDX-License-Identifier: Apache-2.0
"""The recorded CATLASS kernels: inputs for each, and the result that its formula states."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np

from tla.ascend.kernels.numbers import code_of, decoded, encoded

HERE = Path(__file__).parents[1] / "data" / "kernels"
"""The traces that the tests have: the smallest that cover each kind of instruction."""
_PLACE = Path("shared", "oracle", "catlass_traces")
SHARED = next((p / _PLACE for p in Path(__file__).parents if (p / _PLACE).is_dir()), None)
"""All traces, where a checkout has them beside it."""


def entries(folder: Path | None = HERE) -> list[dict[str, Any]]:
    """The entries of an index; none if there is no such folder.

    Where an entry's types do not fit its bytes, the kernel's own are taken.
    """
    rows: list[dict[str, Any]] = (
        json.loads((folder / "index.json").read_text())["traces"] if folder else []
    )
    for entry in rows:
        entry["path"] = folder / entry["file"]
        by_name = {tensor["name"]: tensor for tensor in entry["tensors"]}
        if "per k group" in entry["result"]:
            entry["k_ends"] = [96, 290]  # the values of its GetValue
            groups, m, n = (entry["problem"][key] for key in ("groups", "m", "n"))
            by_name["A"]["layout"] = "ColumnMajor"
            by_name["B"]["shape"] = by_name["B"]["shape"][1:]
            by_name["PerTokenScale"]["shape"] = [groups, m]
            by_name["D"]["shape"] = [groups, m, n]
        if entry["name"] == "a950_fixpipe_opti":
            by_name["A"]["dtype"] = by_name["B"]["dtype"] = "float16"
            by_name["B"]["layout"] = "ColumnMajor"
    return rows


def _type(tensor: dict[str, Any]) -> str:
    return str(tensor["dtype"]).split(" ", 1)[0]


def _is_scale(name: str) -> bool:
    return "Scale" in name


def values_of(entry: dict[str, Any], seed: int = 0) -> dict[str, np.ndarray[Any, Any]]:
    """Small ints for each described tensor, powers of two for scales, patterns for fp8."""
    rng = np.random.default_rng(seed)
    made = {}
    for tensor in entry["tensors"]:
        if not tensor.get("shape"):
            continue
        name, shape = tensor["name"], tensor["shape"]
        if name == "GroupList":
            made[name] = np.array(entry["group_ends"])
        elif "fp8" in str(tensor["dtype"]):
            made[name] = rng.choice(np.array([0, 0x38, 0x40, 0x44, 0xB8, 0xC0, 0x30, 0x34]), shape)
        elif _is_scale(name):
            made[name] = 2.0 ** rng.integers(-3, 1, shape)
        else:
            made[name] = rng.integers(-3, 4, shape)
    return made


def memory_of(values: np.ndarray[Any, Any], tensor: dict[str, Any]) -> np.ndarray[Any, Any]:
    """A tensor as it lies in memory, in its layout."""
    dtype, layout = _type(tensor), str(tensor.get("layout") or "RowMajor")
    if "Column" in layout:
        values = np.swapaxes(values, -1, -2)
    if layout == "zN":
        lanes = 32 // np.dtype(code_of(dtype)).itemsize
        rows, columns = (-(-n // unit) * unit for n, unit in zip(values.shape, (16, lanes), strict=True))
        padded = np.zeros((rows, columns), values.dtype)
        padded[: values.shape[0], : values.shape[1]] = values
        values = padded.reshape(rows, columns // lanes, lanes).transpose(1, 0, 2)
    kind = np.float32 if "float" in dtype else np.int64
    return np.ascontiguousarray(encoded(np.ascontiguousarray(values).astype(kind), dtype))


def inputs_of(entry: dict[str, Any], seed: int = 0) -> tuple[dict[str, Any], dict[str, Any]]:
    """The values of the tensors, and their memory; an output is filled with 77 in every byte."""
    values = values_of(entry, seed)
    memory = {}
    out = output_of(entry)
    for tensor in entry["tensors"]:
        name = tensor["name"]
        if name in values and (name != out or _in_place(entry)):
            memory[name] = memory_of(values[name], tensor)
        elif name == out:
            memory[name] = np.full(tensor["bytes"], 77, np.uint8)
    return values, memory


def _in_place(entry: dict[str, Any]) -> bool:
    return "D_in" in entry["result"] or "X_in" in entry["result"] or "Z_in" in entry["result"]


def output_of(entry: dict[str, Any]) -> str:
    """The tensor that the formula of the entry gives."""
    names: list[str] = [tensor["name"] for tensor in entry["tensors"] if tensor.get("shape")]
    first: str = entry["result"].split("=")[0].split("[")[0].strip()
    if first in names and first not in ("A", "B"):
        return first
    return next(name for name in ("o", "D", "C", "Z", "X") if name in names)


def close_of(entry: dict[str, Any]) -> float:
    """The tolerance of the entry; 0 if the result is exact."""
    status = entry["replay"]["status"]
    return float(status[6:-1]) if status.startswith("close") else 0.0


def expected(entry: dict[str, Any], values: dict[str, Any]) -> Any:
    """The formula of the entry."""
    x: dict[str, Any] = {name: value.astype(np.float64) for name, value in values.items()}
    problem, result = entry["problem"], entry["result"]
    if "softmax" in result:
        return _attention(problem, x)
    a: Any = x["A"]
    b: Any = x.get("B")
    if "fp8" in str(entry["tensors"][0].get("dtype")):
        a, b = (decoded(values[n].astype(np.uint8), "float8_e4m3").astype(np.float64) for n in "AB")
    if "alpha_beta" in entry:
        alpha, beta = entry["alpha_beta"]
        return alpha * (a @ x["X"]) + beta * x["Y"] if b is None else alpha * (a @ b) + beta * x["X"]
    if b.ndim == 3 and a.ndim == 2:
        ends = [0, *entry["group_ends"]]
        return np.concatenate([a[lo:hi] @ b[g] for g, (lo, hi) in enumerate(itertools.pairwise(ends))])
    if "k_ends" in entry:
        ends = [0, *entry["k_ends"]]
        parts = [a[:, lo:hi] @ b[lo:hi] for lo, hi in itertools.pairwise(ends)]
        return np.stack(parts) * x["Scale"][:, None] * x["PerTokenScale"][:, :, None]
    product = a @ b
    if "PerTokenScale" in x:
        return product * x["Scale"] * x["PerTokenScale"][:, None]
    if "Bias" in x:
        return product + x["Bias"]
    if "D_in" in result:
        return product + x["D"]
    if "gelu" in result:
        product = np.clip(product, -9, None)  # so that no exponential overflows; the rest is 0
        return product / (1 + np.exp(-1.5957691216 * (product + 0.044715 * product**3)))
    return product


def _attention(problem: dict[str, Any], x: dict[str, Any]) -> np.ndarray[Any, Any]:
    heads, kv_heads, length = problem["heads"], problem["kvHeads"], problem["kvSeqlen"]
    made = np.zeros(x["q"].shape)
    for head in range(heads):
        k = x["k"].reshape(-1, kv_heads, problem["d"])[:length, head * kv_heads // heads]
        v = x["v"].reshape(-1, kv_heads, problem["d"])[:length, head * kv_heads // heads]
        scores = x["q"][:, head] @ k.T / np.sqrt(problem["d"])
        weights = np.exp(scores - scores.max(1, keepdims=True))
        made[:, head] = weights / weights.sum(1, keepdims=True) @ v
    return made


def difference(entry: dict[str, Any], memory: Any, values: dict[str, Any]) -> float | None:
    """How far the output is from its formula; None if it is equal, or within the entry's tolerance."""
    out = output_of(entry)
    tensor = next(t for t in entry["tensors"] if t["name"] == out)
    dtype = _type(tensor)
    want = expected(entry, values).astype(np.float32)
    stored = encoded(want, dtype).reshape(-1)
    wanted = decoded(stored, dtype).astype(np.float64)
    bytes_ = np.ascontiguousarray(memory).reshape(-1).view(np.uint8)[: stored.nbytes]
    found = decoded(bytes_.view(code_of(dtype)), dtype).astype(np.float64)
    close = close_of(entry)
    if np.allclose(found, wanted, rtol=close, atol=close, equal_nan=False):
        return None
    return float(np.nanmax(np.abs(found - wanted)))
