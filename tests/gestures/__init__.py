"""Random gestures in a real window: `python -m tests.gestures [--edits N] [--seed S]`.

Nodes are added, connected in every way, moved, renamed, cut, pasted, undone, saved and
opened again, by mouse and keys, in several tabs. After every step: nothing was raised,
Qt did not warn, document and scene are equal, undo and redo lead back and forth, what
was saved can be read and is equal, and one step changes one document. When a step
fails, as few steps as still fail are printed.

A step is a name and a seed of its own, so that the steps around it can be left out.
"""
