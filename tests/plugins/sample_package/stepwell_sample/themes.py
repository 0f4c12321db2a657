"""A theme: the path of a file of tokens."""

from importlib.resources import files

FOREST = files("stepwell_sample").joinpath("forest.toml")
