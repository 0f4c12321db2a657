"""Every checkpoint of a run of pure handlers is proved: with loops, joins, failures that
an edge takes, retries, questions, forks, cancelled questions and sub-workflows.
"""

from __future__ import annotations

import random
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.debug.verify.prover import Prover
from runtime.debug.verify.workflows import SavedWorkflows
from runtime.document.definition import WorkflowFile
from runtime.engine.runner import Runner
from runtime.errors import WorkflowException
from runtime.stores.memory import MemoryStore
from runtime.workflow.workflow import Workflow
from tests.documents import build
from tests.runtime.debug.stops.random_documents import CODE, MODULE, documents


async def run_about(workflow: Workflow, chance: random.Random) -> MemoryStore:
    """Run to rest, answer or cancel what is asked, and go on from some checkpoints."""
    store = MemoryStore()
    runner = Runner(workflow, store)
    await runner.start(chance.randrange(9))
    for _ in range(chance.randrange(1, 5)):
        try:
            await runner.finish()
            open_requests = list(runner.state.requests)
            if open_requests and chance.random() < 0.8:
                await runner.answer(
                    {chance.choice(open_requests): str(chance.random())}
                )
                continue
            if open_requests and chance.random() < 0.5:
                await runner.cancel([chance.choice(open_requests)])
                continue
        except (WorkflowException, ValueError):
            # A failed superstep leaves no checkpoint.
            pass
        headers = await store.headers()
        back = chance.choice(headers)
        await runner.restore(back.id, fork=chance.random() < 0.5)
    return store


@pytest.mark.filterwarnings("ignore::UserWarning")
@settings(
    max_examples=3,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(documents(), st.integers(0, 10_000))
async def test_every_checkpoint_of_pure_handlers_is_proved(
    document: dict[str, Any], seed: int
) -> None:
    with TemporaryDirectory() as folder:
        (Path(folder) / f"{MODULE}.py").write_text(CODE)
        definition = WorkflowFile.model_validate(document).workflow
        chance = random.Random(seed)  # noqa: S311 - no secret
        store = await run_about(build(definition, folder=folder), chance)
        headers = await store.headers()
        prover = Prover(store, SavedWorkflows())
        async for proof in prover.proofs(headers, headers):
            assert proof.outcome == "proved", proof
