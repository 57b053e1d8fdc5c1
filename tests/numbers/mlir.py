"""A naive reader of affine expressions, after MLIR's AffineParser: it evaluates as it reads.

Two levels of operators, each from left to right: ``+ -`` below ``* floordiv / ceildiv mod``. A minus
sign takes the next operand alone: ``-d0 floordiv 8`` is ``(-d0) floordiv 8``.
"""

import re
from collections.abc import Mapping

TOKEN = re.compile(r"\s*([A-Za-z_]\w*|\d+|[-+*/(),])")


def value_of_mlir(text: str, values: Mapping[str, int]) -> int:
    """The value of a text for the values of its names."""
    tokens: list[str] = []
    end = 0
    while end < len(text):
        match = TOKEN.match(text, end)
        assert match, f"no token at {end} of {text}"
        tokens.append(match[1])
        end = match.end()
    reader = _Reader(tokens, values)
    value = reader.sum()
    assert not reader.tokens, f"{reader.tokens[::-1]} left of {text}"
    return value


class _Reader:
    def __init__(self, tokens: list[str], values: Mapping[str, int]) -> None:
        self.tokens = tokens[::-1]
        self.values = values

    def take(self, *wanted: str) -> str:
        """The next token if it is one of these; else nothing."""
        return self.tokens.pop() if self.tokens and self.tokens[-1] in wanted else ""

    def sum(self) -> int:
        value = self.product()
        while op := self.take("+", "-"):
            value = value + self.product() if op == "+" else value - self.product()
        return value

    def product(self) -> int:
        value = self.operand()
        while op := self.take("*", "floordiv", "/", "ceildiv", "mod"):
            other = self.operand()
            if op == "*":
                value *= other
            elif op == "mod":
                value %= other
            else:
                value = -(-value // other) if op == "ceildiv" else value // other
        return value

    def operand(self) -> int:
        if self.take("-"):
            return -self.operand()
        if self.take("("):
            value = self.sum()
            assert self.take(")")
            return value
        token = self.tokens.pop()
        if token in ("min", "max") and self.take("("):
            values = [self.sum()]
            while self.take(","):
                values.append(self.sum())
            assert self.take(")")
            return min(values) if token == "min" else max(values)
        return int(token) if token.isdigit() else self.values[token]
