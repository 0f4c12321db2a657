"""`python -m runtime.debug`: a debug host that speaks the protocol on its standard
descriptors.

A `CodeTarget` as JSON lets it run a workflow made in code, in place of documents.
"""

import gc
import sys

# Modules are no garbage. To look for some among them takes a tenth of their import.
gc.disable()
from runtime.debug.remote.transport import main  # noqa: E402

gc.freeze()
gc.enable()


def _main(words: list[str]) -> None:
    if not words:
        main()
        return
    from runtime.debug.remote.code_session import CodeSession
    from runtime.debug.remote.code_target import CodeTarget

    target = CodeTarget.model_validate_json(words[0])
    main(lambda notices: CodeSession(notices, target))


if __name__ == "__main__":
    _main(sys.argv[1:])
