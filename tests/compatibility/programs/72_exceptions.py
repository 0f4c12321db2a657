"""Which error is a kind of which."""

from agent_framework import (
    AgentFrameworkException,
    EdgeDuplicationError,
    GraphConnectivityError,
    TypeCompatibilityError,
    WorkflowCheckpointException,
    WorkflowConvergenceException,
    WorkflowException,
    WorkflowRunnerException,
    WorkflowValidationError,
)


async def main() -> dict:
    framework = {AgentFrameworkException.__name__, WorkflowException.__name__}
    known = [
        EdgeDuplicationError,
        GraphConnectivityError,
        TypeCompatibilityError,
        WorkflowCheckpointException,
        WorkflowConvergenceException,
        WorkflowRunnerException,
        WorkflowValidationError,
    ]
    return {
        one.__name__: [base.__name__ for base in one.__mro__[1:]] for one in known
    } | {
        "all are": [
            all(framework & {base.__name__ for base in one.__mro__} for one in known)
        ],
        "duplicate": [
            str(EdgeDuplicationError("a->b"))[:60],
            EdgeDuplicationError("a->b").edge_id,
        ],
        "connectivity": str(GraphConnectivityError("lost"))[:60],
    }
