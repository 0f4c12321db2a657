"""The engine: runs a workflow in supersteps. Each one is route, invoke, commit, save.

runner          drives a run: begins, restores, answers, and does one superstep after the other
route           where the queued messages go
invoke          calls the handlers of a superstep; `retries` for executors with a policy or an error edge
commit          merges what the handlers asked for into the next state
save            the line of checkpoints; `barrier` is what the run is at, saved or about to be
sub_runs        the same for a run and the runs of its sub-workflows together

run, stream     what `Workflow.run` returns, and the session that allows one run at a time; `run_request` is the call
notifier        passes on what happens to `observer_feed` and `caller_feed`; `live_outputs` are emitted at once
answers, restore_checks     what is checked before a run takes an answer or a checkpoint
status, joins, join_history the status of a run, and why a join waits
trace, fingerprint, user_frames   what is recorded for people
"""
