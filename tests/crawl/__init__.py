"""A crawl over the real window: every control that is seen is pressed in every mode,
and each press must do something.

`modes` builds the window in a mode, `controls` finds what can be pressed, `effect` says
what a press changed, and `crawler` joins them. `python -m tests.crawl` presses
everything everywhere; the suite presses each control once.
"""
