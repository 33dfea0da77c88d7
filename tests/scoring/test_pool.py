"""The pool and the bounds behind it: killable, repeatable, shared by threads, safe after a fork."""

import functools
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from decimal import Decimal
from pathlib import Path

import psutil
import pytest

from scoring.bounds import BoundedScorer, Overrun, Worker
from scoring.pool import Pool, get_pool
from scoring.score import Score, Status
from scoring.wire import merge_parts, respond, score_as_json
from tests.scoring.shared_files import oracle

ROOT = Path(__file__).resolve().parents[2]
EED = {"scorer": "eed", "target": "2 m g", "answer": "3 m g", "trees": False}
COIN = {"scorer": "coin_flip", "record": {"answer": "yes"}, "reply": "ANSWER: YES"}
HIPHO = {
    "scorer": "hipho",
    "record": {"answer": ["\\boxed{1}", "\\boxed{2}"], "answer_type": ["Expression"] * 2, "unit": [], "points": [1, 2]},
    "reply": "\\boxed{1} \\boxed{2}",
}


@pytest.fixture
def pool():
    pool = Pool(2)
    yield pool
    pool.close()


def burn(cpu_seconds):
    end = time.process_time() + cpu_seconds
    while time.process_time() < end:
        pass


def do_as_told(payload):
    """A worker's deed, by the first word of the request's answer."""
    answer = json.loads(payload)["answer"]
    word, _, number = answer.partition(" ")
    if word == "burn":
        burn(float(number))
    elif word == "power":
        len(str(10**10**8 % 7**10**7))  # one operation that no signal handler of Python interrupts
    elif word == "fill":
        bytearray(int(number) << 20)
    elif word == "crash":
        os.kill(os.getpid(), signal.SIGKILL)
    return json.dumps({"points": 1.0, "answer": answer}).encode()


def in_a_small_process(test):
    """A worker is a fork of its owner and bounded with it: one that has run a thousand tests leaves it no memory."""

    @functools.wraps(test)
    def run():
        done = run_script(f"from {test.__module__} import {test.__name__} as test\ntest.__wrapped__()")
        assert done.returncode == 0, done.stderr

    return run


@in_a_small_process
def test_a_worker_is_ended_at_its_cpu_bound_and_only_there():
    worker = Worker(do_as_told)
    assert worker.run(b'{"answer": "burn 0.05"}', 1.0) == b'{"points": 1.0, "answer": "burn 0.05"}'
    overrun = worker.run(b'{"answer": "burn 9"}', 0.2)
    assert isinstance(overrun, Overrun) and overrun.kind == "cpu"
    worker.close()


@in_a_small_process
def test_time_asleep_does_not_count():
    worker = Worker(lambda payload: (time.sleep(0.5), payload)[1])
    assert worker.run(b"{}", 0.2) == b"{}"
    worker.close()


@in_a_small_process
def test_one_endless_integer_operation_is_ended_too():
    scorer = BoundedScorer(do_as_told, cpu_seconds=0.2)
    response = scorer.respond({**EED, "answer": "power"})
    assert (response["points"], response["status"]) == (0.0, "timeout")
    assert scorer.respond({**EED, "answer": "x"})["points"] == 1.0
    scorer.close()


@in_a_small_process
def test_an_overrun_is_repeated_once_with_four_times_the_bound():
    scorer = BoundedScorer(do_as_told, cpu_seconds=0.2)
    assert scorer.respond({**EED, "answer": "burn 0.4"})["points"] == 1.0
    scorer.close()


@in_a_small_process
def test_memory_is_bounded_and_the_scorer_serves_on():
    scorer = BoundedScorer(do_as_told, cpu_seconds=0.2)
    response = scorer.respond({**EED, "answer": "fill 900"})
    assert (response["status"], response["points"]) == ("timeout", 0.0)
    assert "memory" in response["explanation"]
    assert scorer.respond({**EED, "answer": "fill 10"})["points"] == 1.0
    scorer.close()


@in_a_small_process
def test_a_crash_is_an_error_without_points():
    scorer = BoundedScorer(do_as_told, cpu_seconds=0.2)
    response = scorer.respond({"id": 7, **EED, "answer": "crash"})
    assert (response["id"], response["status"], response["points"]) == (7, "error", None)
    assert "SIGKILL" in response["explanation"]
    scorer.close()


def hang_on_the_second_answer(payload):
    request = json.loads(payload)
    if request.get("only") != 0:
        burn(9)
    return json.dumps(respond(request)).encode()


@in_a_small_process
def test_one_hostile_answer_does_not_cost_the_others_theirs():
    scorer = BoundedScorer(hang_on_the_second_answer, cpu_seconds=0.2)
    response = scorer.respond(HIPHO)
    scorer.close()
    assert (response["points"], response["max_points"], response["status"]) == (1.0, 3.0, "scored")
    assert [(p["points"], p["status"]) for p in response["parts"]] == [(1.0, "scored"), (0.0, "timeout")]


def test_if_every_answer_overruns_the_reply_does():
    timeout = score_as_json(Score(0.0, 3.0, Status.TIMEOUT))
    assert merge_parts([None, None], timeout) is timeout


def test_responses_come_in_order_and_match_the_direct_ones(pool):
    pairs = oracle("eed_pairs")[:40]
    requests = [{"id": i, **EED, "target": p["gt"], "answer": p["gen"]} for i, p in enumerate(pairs)]
    requests.insert(7, COIN)
    requests.insert(20, {"scorer": "nobody", "id": "x"})
    assert pool.score_many(requests) == [respond(r) for r in requests]
    assert pool.score_many([]) == []


def test_many_threads_share_the_pool(pool):
    results = {}

    def score(number):
        results[number] = [pool.score({**EED, "id": number, "answer": f"{number} m g"})["id"] for _ in range(5)]

    threads = [threading.Thread(target=score, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {n: [n] * 5 for n in range(8)}
    assert len(pool._children) <= 2


def test_large_requests_and_responses_pass_through(pool):
    long_reply = "a " * 500_000
    requests = [{**HIPHO, "reply": long_reply + HIPHO["reply"], "id": i} for i in range(6)]
    assert [r["points"] for r in pool.score_many(requests)] == [3.0] * 6


def test_decimals_of_a_database_are_taken(pool):
    answer = {"value": "\\boxed{1}", "kind": "numeric", "points": Decimal("0.30"), "tolerance": None}
    reference = {"answers": [answer], "options": [], "schemes": [], "max_points": Decimal("0.30")}
    assert pool.score({"scorer": "hipho", "reference": reference, "reply": "\\boxed{1}"})["points"] == 0.3
    choice = {**reference, "answers": [{**answer, "value": "A"}], "options": [{"label": "A", "text": "1"}]}
    assert pool.score({"scorer": "phyx_mc", "reference": choice, "reply": "A"})["points"] == 0.3


def test_a_dead_child_is_replaced(pool):
    assert pool.score(EED)["status"] == "scored"
    for child in list(pool._children):
        os.kill(child.process.pid, signal.SIGKILL)
        child.process.wait()
    assert pool.score(EED)["status"] == "scored"
    assert pool.score_many([EED] * 40) == [pool.score(EED)] * 40


def test_cheap_scorers_need_no_child(pool):
    assert pool.score(COIN)["points"] == 1.0
    assert pool._children == set()


def test_a_process_has_one_pool():
    assert get_pool() is get_pool()


def run_script(text, **options):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text)], cwd=ROOT, capture_output=True, text=True, timeout=60, **options
    )


SCRIPT_HEAD = """
    import os, sys, time
    from scoring.pool import get_pool
    EED = {"scorer": "eed", "target": "2 m g", "answer": "2 g m"}
    pool = get_pool()
    assert pool.score(EED)["points"] == 100
    children = [c.process.pid for c in pool._children]
"""


def test_a_fork_makes_its_own_pool_and_leaves_the_parents_alone():
    done = run_script(
        SCRIPT_HEAD
        + """
    pid = os.fork()
    if pid == 0:
        mine = get_pool()
        ok = mine is not pool and mine.score(EED)["points"] == 100 and pool.score(EED)["points"] == 100
        mine.close(); pool.close()
        os._exit(0 if ok else 1)
    _, status = os.waitpid(pid, 0)
    assert status == 0, status
    assert pool.score(EED)["points"] == 100
    assert [c.process.pid for c in pool._children] == children
    """
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("ending", ["os._exit(0)", "os.kill(os.getpid(), 9)", "sys.exit(0)"])
def test_children_end_with_their_owner(ending):
    done = run_script(
        SCRIPT_HEAD
        + f"""
    print(*children, flush=True)
    pid = os.fork()
    if pid == 0:
        os.close(1); os.close(2)
        time.sleep(5); os._exit(0)  # a sibling that lives on holds no end of the pipes
    {ending}
    """
    )
    (pid,) = map(int, done.stdout.split())
    deadline = time.monotonic() + 10
    while (
        psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE and time.monotonic() < deadline
    ):
        time.sleep(0.05)
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def test_the_pool_works_in_a_daemonic_process():
    """Celery's prefork workers are daemonic: they may not have multiprocessing children."""
    done = run_script("""
    import multiprocessing as mp

    def work(queue):
        from scoring.pool import get_pool
        queue.put(get_pool().score({"scorer": "eed", "target": "2 m g", "answer": "2 g m"})["points"])

    if __name__ == "__main__":
        context = mp.get_context("fork")
        queue = context.Queue()
        process = context.Process(target=work, args=(queue,), daemon=True)
        process.start()
        assert queue.get(timeout=50) == 100
        process.join()
    """)
    assert done.returncode == 0, done.stderr
