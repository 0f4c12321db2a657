"""`python -m runtime.debug`: a debug host that speaks the protocol on its standard
descriptors.

A `CodeTarget` as JSON lets it run a workflow made in code, in place of documents.
"""

import sys

from runtime.debug.remote.transport import main


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
