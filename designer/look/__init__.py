"""Themes, fonts, icons and the style sheet, which canvas, panels and shell use."""
