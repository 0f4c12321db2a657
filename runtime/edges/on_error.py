"""On error: one source, one target, which gets the failure of the source as a message.

Nothing else that the source sends goes along it, and the failure goes along no other edge. Whether a failure is taken
is asked when the handler has failed, as a failure that nobody takes fails the superstep; where it goes is then decided
like that of any message, in the next superstep.
"""

from __future__ import annotations

from runtime.edges.one_target import OneTargetEdgeGroup


class OnErrorEdgeGroup(OneTargetEdgeGroup):
    """One source, one target. The condition, if there is one, is asked about the `ExecutorFailure`."""

    kind = "on_error"
