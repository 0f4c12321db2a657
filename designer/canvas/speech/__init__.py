"""What the canvas says: to the status bar, in tooltips and to screen readers."""
