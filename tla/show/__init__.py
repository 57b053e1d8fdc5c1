"""Rendering of figures. Knows `tla.figure` and nothing else of layouts."""

from .text import render

__all__ = ["render"]
