"""A changed workflow goes on from a checkpoint of the workflow before: what changed,
where everything goes that the run holds, and what is dropped.

`outline` and `changes` compare two graphs as data, `mapping` says what became of
executors and joins, `proposal` finds that by itself, and `transfer` makes the state of
the changed workflow. Nothing here runs code of a workflow.
"""
