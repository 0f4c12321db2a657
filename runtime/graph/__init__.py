"""The graph of a workflow: `WorkflowGraph` with the tables of the engine, the checks
before a run, the signature.
"""
