"""`python -m runtime.debug.verify`: the process of a restore proof."""

from runtime.debug.verify.process import main

if __name__ == "__main__":
    main()
