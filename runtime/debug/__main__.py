"""`python -m runtime.debug`: a debug host that speaks the protocol on its standard
descriptors.
"""

from runtime.debug.transport import main

if __name__ == "__main__":
    main()
