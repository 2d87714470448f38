"""Everything that a cell publishes arrives in the order in which it was made, before idle, under the right parent."""

import random

from kernels import kernel

PREPARE = """
import sys
from IPython.display import display
def show(text): display({"text/plain": text}, raw=True)
"""


def events(messages):
    """(kind, text) in order; neighbouring text of one stream is one event, as how it is cut does not matter."""
    found = []
    for message in messages:
        content = message["content"]
        kind = message["msg_type"]
        if kind == "stream":
            if found and found[-1][0] == content["name"]:
                found[-1] = (content["name"], found[-1][1] + content["text"])
            else:
                found.append((content["name"], content["text"]))
        elif kind in ("display_data", "execute_result"):
            found.append((kind, content["data"]["text/plain"]))
        elif kind == "error":
            found.append((kind, content["ename"]))
        elif kind == "status":
            found.append((kind, content["execution_state"]))
    return found


def random_cell(source):
    """Code and the events that it must produce."""
    lines, expected = [], [("status", "busy")]

    def expect(kind, text):
        if expected[-1][0] == kind and kind in ("stdout", "stderr"):
            expected[-1] = (kind, expected[-1][1] + text)
        else:
            expected.append((kind, text))

    for number in range(source.randrange(1, 40)):
        choice = source.randrange(5)
        if choice == 0:
            lines.append(f"print('out {number}')")
            expect("stdout", f"out {number}\n")
        elif choice == 1:
            lines.append(f"print('err {number}', file=sys.stderr)")
            expect("stderr", f"err {number}\n")
        elif choice == 2:
            lines.append(f"show('shown {number}')")
            expect("display_data", f"shown {number}")
        elif choice == 3:
            size = source.choice([1, 2000, 1_500_000])
            lines.append(f"n = sys.stdout.write('x' * {size})")
            expect("stdout", "x" * size)
        else:
            lines.append("sys.stdout.flush()")
    ending = source.randrange(3)
    if ending == 0:
        lines.append("'the value'")
        expect("execute_result", "'the value'")
    elif ending == 1:
        lines.append("raise KeyError('end')")
        expect("error", "KeyError")
    expected.append(("status", "idle"))
    return "\n".join(lines), expected


def check_streams_displays_results_errors_and_idle_keep_their_order(k):
    k.output(PREPARE)
    for seed in range(60):
        code, expected = random_cell(random.Random(seed))
        messages, _ = k.run(code)
        assert events(messages) == expected, (seed, code[:400], events(messages)[:5])


def check_clear_output_stays_between_the_texts(k):
    messages, _ = k.run("from IPython.display import clear_output\nprint('a')\nclear_output()\nprint('b')")
    found = [m["content"].get("text", m["msg_type"]) for m in messages if m["msg_type"] in ("stream", "clear_output")]
    # How a text is cut does not matter: a timer may fall between the letter and its line end.
    assert "".join(found) == "a\nclear_outputb\n", found


LATE_OUTPUT = """
import asyncio, threading
go = threading.Event()
def late(): go.wait(); print('thread')
thread = threading.Thread(target=late); thread.start()
async def later():
    while not go.is_set(): await asyncio.sleep(0.001)
    print('task')
task = asyncio.get_running_loop().create_task(later())
"""


def late_parents(booted):
    """For text printed by a thread and by a task of the first cell during the second: which cell it is given to."""
    with kernel(booted=booted) as k:
        first = k.send(LATE_OUTPUT)
        k.collect(first)
        second = k.send("go.set()\nthread.join()\nawait task")
        parents = {}
        while len(parents) < 2:
            message = k.client.get_iopub_msg(timeout=20)
            if message["msg_type"] == "stream":
                for word in message["content"]["text"].split():
                    parents[word] = [first, second].index(message["parent_header"]["msg_id"])
        return parents


def check_output_of_threads_and_tasks_has_the_parent_that_stock_ipykernel_gives_it():
    assert late_parents(booted=True) == late_parents(booted=False)
