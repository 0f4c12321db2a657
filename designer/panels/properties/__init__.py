"""The Properties panel: an editor for each kind of element, which turns the user's
input into edits of the document.
"""
