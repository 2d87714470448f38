"""Much output: nothing lost, memory bounded, no deadlock when nobody reads."""

import json
import pathlib
import time

from jupyter_client import BlockingKernelClient
from kernels import kernel, text


def check_every_one_of_a_million_lines_arrives(k):
    out, _ = k.output("for i in range(10**6): print(i)")
    assert out == "".join(f"{i}\n" for i in range(10**6))


def check_one_write_of_100_mb_arrives_exactly_and_in_pieces(k):
    messages, _ = k.run("import sys\nn = sys.stdout.write('0123456789é\\n' * 8_400_000)")
    pieces = [m["content"]["text"] for m in messages if m["msg_type"] == "stream"]
    assert "".join(pieces) == "0123456789é\n" * 8_400_000
    assert max(map(len, pieces)) <= 1 << 18


def check_streaming_300_mb_does_not_grow_the_kernel(k):
    memory = "import resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    before = int(k.output(memory)[0])
    # Lines just short of those that are measured: what waits is bounded by its number alone, and is at its largest.
    messages, _ = k.run("line = 'x' * 999\nfor i in range(300_000): print(line)")
    assert len(text(messages, "stdout")) == 300_000_000
    grown_kb = int(k.output(memory)[0]) - before
    assert grown_kb < 150_000, grown_kb


def check_two_streams_that_take_turns_have_little_waiting(k):
    """Each turn is a message, and an interrupt waits for all of them."""
    code = """
import sys
waiting = sys.stdout._omp_outlet.pending
most = 0
for i in range(2500):
    n = sys.stdout.write('o'); most = max(most, len(waiting))
    n = sys.stderr.write('e'); most = max(most, len(waiting))
"""
    assert k.output(code) == ("o" * 2500, "e" * 2500)
    most = int(k.output("print(most // 3)")[0])
    assert 0 < most <= 2048, most


# The kernel holds a thousand messages, the sockets some hundred kilobytes, and a client that is to stall has no room.
NO_ROOM = 10

FLOOD = """
import pathlib
progress = pathlib.Path('progress')
for i in range(3500):
    print(i, 'x' * 2000, flush=True)
    if i % 20 == 0: n = progress.write_text(str(i))
progress.write_text('done')
"""


def plateau(path):
    """The last progress of a writer that has come to a stop, and for how long it must stand still to count as one."""
    last, since = None, time.monotonic()
    # One that has not begun has not come to a stop.
    while last is None or time.monotonic() - since < 1.0:
        now = path.read_text() if path.exists() else None
        if now != last:
            last, since = now, time.monotonic()
        time.sleep(0.02)
    return last


def check_a_stalled_client_stops_the_writer_and_loses_nothing():
    with kernel(client_queue=NO_ROOM) as k:
        msg_id = k.send(FLOOD)
        stopped_at = plateau(k.directory / "progress")
        assert stopped_at != "done", "the writer did not wait"
        messages, reply = k.collect(msg_id)
        assert reply["status"] == "ok", reply
        assert text(messages, "stdout") == "".join(f"{i} {'x' * 2000}\n" for i in range(3500))


def check_a_kernel_that_has_published_much_before_its_boot_keeps_working():
    with kernel(booted=False) as k:
        for _ in range(100):
            k.run("pass")
        k.boot({})
        out, _ = k.output("for i in range(3000): print(i, 'x' * 2000, flush=True)")
        assert out == "".join(f"{i} {'x' * 2000}\n" for i in range(3000))
        assert "stopped reading" not in (k.directory / "log").read_text()


def check_displays_wait_for_a_stalled_client_too():
    code = """
import pathlib
from IPython.display import display
progress = pathlib.Path('progress')
for i in range(1400):
    display({"text/plain": "x" * 70_000}, raw=True)
    n = progress.write_text(str(i))
progress.write_text('done')
"""
    with kernel(client_queue=NO_ROOM) as k:
        msg_id = k.send(code)
        assert plateau(k.directory / "progress") != "done"
        messages, reply = k.collect(msg_id)
        assert reply["status"] == "ok", reply
        assert sum(m["msg_type"] == "display_data" for m in messages) == 1400


def check_a_kernel_goes_on_when_its_stalled_client_is_gone():
    with kernel(client_queue=NO_ROOM) as k:
        k.send(FLOOD)
        progress = k.directory / "progress"
        assert plateau(progress) != "done"
        k.client.stop_channels()
        wait_for(progress, "done")
        k.client = reconnect(k.connection_file)
        assert k.output("print('alive')")[0] == "alive\n"


def check_interrupting_a_blocked_writer_works_and_loses_nothing():
    with kernel(client_queue=NO_ROOM) as k:
        msg_id = k.send(FLOOD)
        assert plateau(k.directory / "progress") != "done"
        k.interrupt()
        messages, reply = k.collect(msg_id)
        assert reply["ename"] == "KeyboardInterrupt", reply
        lines = text(messages, "stdout").splitlines()
        assert [line.split()[0] for line in lines] == [str(i) for i in range(len(lines))]
        assert k.output("print('alive')")[0] == "alive\n"


def wait_for(path: pathlib.Path, content):
    deadline = time.monotonic() + 60
    while path.read_text() != content:
        assert time.monotonic() < deadline, path.read_text()
        time.sleep(0.02)


def reconnect(connection_file):
    assert json.loads(pathlib.Path(connection_file).read_text())
    client = BlockingKernelClient(connection_file=str(connection_file))
    client.load_connection_file()
    client.start_channels()
    client.wait_for_ready(timeout=30)
    return client
