"""What a workflow can be exported as. Imports nothing heavy: the command line lists it in its help."""

from __future__ import annotations

from enum import StrEnum


class Format(StrEnum):
    PYTHON = "python"
    MERMAID = "mermaid"
    DOT = "dot"
    SVG = "svg"
    PNG = "png"
    PDF = "pdf"
    SCHEMA = "schema"

    @classmethod
    def of_name(cls, name: str) -> Format | None:
        """The format that a file's name tells."""
        return next((one for one in cls if name.lower().endswith(one.suffix)), None)

    @property
    def suffix(self) -> str:
        return {"python": ".py", "mermaid": ".mmd", "schema": ".schema.json"}.get(
            self.value, f".{self.value}"
        )

    @property
    def is_picture(self) -> bool:
        return self in {Format.SVG, Format.PNG, Format.PDF}
