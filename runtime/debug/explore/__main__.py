"""`python -m runtime.debug.explore`: the process of an exploration."""

from runtime.debug.explore.process import main

if __name__ == "__main__":
    main()
