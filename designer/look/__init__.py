"""How everything looks: themes, fonts, icons, the style sheet. Below the canvas and the panels, which all use it."""
