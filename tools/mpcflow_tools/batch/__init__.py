"""Runs in batch queues: sweeps over keys of an input, jobs that go on by themselves, and what came out of them.

Data flows one way: a sweep (sweep.py) is written to a folder (folder.py) with a script (script.py) that a scheduler
(schedulers.py) is given; in the job the worker (worker.py) runs one case; status.py and collect.py read what is there.
"""
