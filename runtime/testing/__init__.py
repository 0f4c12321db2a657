"""Helpers for tests of code that builds on the runtime; importable by anybody."""
