"""What users build and run: `Workflow`, `WorkflowBuilder`, and `WorkflowExecutor` for a
workflow inside another one.
"""
