"""The old path of `runtime.export.python_parts`, which programs that were exported
before still import.
"""

from runtime.export.python_parts import Parts

__all__ = ["Parts"]
