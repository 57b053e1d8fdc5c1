"""HLO modules: for now the array shapes of their instructions."""

from .scan import NotHloError, ShapeUse, scan_shapes

__all__ = ["NotHloError", "ShapeUse", "scan_shapes"]
