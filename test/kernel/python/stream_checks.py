"""sys.stdout and sys.stderr behave as programs expect: timers, forks, descriptors, captures, odd text, interrupts."""

import base64
import time

from kernels import text


def check_printed_text_appears_while_the_cell_is_still_busy(k):
    """The cell computes until the client, having seen the text, makes a file."""
    seen = k.directory / "seen"
    msg_id = k.send(f"import os\nprint('early')\nwhile not os.path.exists({str(seen)!r}): sum(range(1000))")
    while True:
        message = k.client.get_iopub_msg(timeout=20)
        if message["msg_type"] == "stream":
            break
    assert message["content"]["text"] == "early\n", message["content"]
    seen.touch()
    _, reply = k.collect(msg_id)
    assert reply["status"] == "ok"


def check_a_file_like_object_as_programs_expect_it(k):
    out, err = k.output(
        """
import sys
assert sys.stdout.write('four') == 4
assert sys.stdout.writable() and not sys.stdout.readable() and not sys.stdout.isatty() and not sys.stdout.closed
assert sys.stdout.encoding.lower() == 'utf-8' and sys.stdout.name == 'stdout'
assert sys.stdout.fileno() == 1 and sys.stderr.fileno() == 2
sys.stdout.writelines(['a', 'b\\n'])
sys.stdout.reconfigure(line_buffering=True)
for bad in (b'bytes', 3, None):
    try: sys.stdout.write(bad)
    except TypeError: pass
    else: raise AssertionError(bad)
class Text(str): pass
print(Text('subclass'), '\\r50%', end='\\r100%\\n', sep='|')
print('lone \\ud800 surrogate')
sys.stdout.buffer.write('é'.encode()[:1]); sys.stdout.buffer.write('é'.encode()[1:]); sys.stdout.buffer.flush()
print('to stderr', file=sys.stderr, flush=True)
"""
    )
    assert out == "fourab\nsubclass|\r50%\r100%\nlone \\ud800 surrogate\né", out
    assert err == "to stderr\n", err


def check_captures_and_redirections_see_the_text_and_nothing_leaks(k):
    assert k.output("%%capture c\nprint('captured')") == ("", "")
    assert k.output("print(repr(c.stdout))")[0] == "'captured\\n'\n"
    code = """
import contextlib, io
with contextlib.redirect_stdout(io.StringIO()) as caught: print('inside')
print('outside', repr(caught.getvalue()))
"""
    assert k.output(code)[0] == "outside 'inside\\n'\n"


def check_output_around_a_replaced_stdout_is_in_its_own_cell(k):
    k.output("import io, sys\nkept = sys.stdout")
    hidden = "print('before')\nsys.stdout = io.StringIO()\nprint('hidden')"
    assert k.output(hidden)[0] == "before\n"
    assert k.output("print('hidden, too')")[0] == ""
    assert k.output("sys.stdout = kept\nprint('restored')")[0] == "restored\n"
    # "Restored" in the way that most programs do it.
    assert k.output("sys.stdout = sys.__stdout__\nprint('original')")[0] == "original\n"
    assert k.output("print('original')\nprint('problem', file=sys.__stderr__)") == ("original\n", "problem\n")
    assert k.output("sys.stdout = kept\nprint('restored')")[0] == "restored\n"


def check_wrappers_of_the_buffer_leave_it_open(k):
    code = """
import io, sys
for turn in range(2):
    kept, sys.stdout = sys.stdout, io.TextIOWrapper(sys.stdout.buffer, encoding='utf-8')
    print('wrapped', turn)
    sys.stdout = kept
    print('restored', turn)
"""
    assert k.output(code)[0] == "wrapped 0\nrestored 0\nwrapped 1\nrestored 1\n"


def check_every_way_to_the_write_method_is_the_same(k):
    code = """
import sys
type(sys.stdout).write(sys.stdout, 'by its class\\n')
write, sys.stdout.write = sys.stdout.write, lambda text: None
print('hidden')
sys.stdout.write = write
print('put back')
del sys.stdout.write
print('deleted')
sys.stdout.write = write
"""
    assert k.output(code)[0] == "by its class\nput back\ndeleted\n"


def check_logging_handlers_and_cached_write_methods_work_in_later_cells(k):
    k.output(
        """
import logging, sys
handler = logging.StreamHandler(sys.stderr)
log = logging.getLogger('checks'); log.addHandler(handler); log.propagate = False
write = sys.stdout.write
"""
    )
    assert k.output("n = write('cached\\n'); log.error('logged')") == ("cached\n", "logged\n")
    k.output("log.removeHandler(handler)")


def check_descriptor_output_comes_before_the_end_of_the_cell(k):
    code = """
import ctypes, os, subprocess, sys
os.system('echo system')
subprocess.run(['sh', '-c', 'echo child; echo problem >&2'])
subprocess.run(['echo', 'passed'], stdout=sys.stdout)
os.write(1, 'é'.encode()[:1]); os.write(1, 'é\\n'.encode()[1:])
libc = ctypes.CDLL(None)
libc.dprintf(1, b'from C\\n')
"""
    for _ in range(20):
        messages, _ = k.run(code)
        assert text(messages, "stdout") == "system\nchild\npassed\né\nfrom C\n", text(messages, "stdout")
        assert text(messages, "stderr") == "problem\n"


def check_a_megabyte_from_a_child_process_arrives(k):
    out, _ = k.output("import os\nn = os.system('head -c 1000000 /dev/zero | tr \"\\\\0\" y')")
    assert out == "y" * 1_000_000, len(out)


def check_forked_children_print_whole_lines_and_not_the_text_of_the_parent(k):
    code = """
import os
print('parent first')
for number in range(3):
    if os.fork() == 0:
        print('child', number)
        print('x' * 3000)
        os._exit(0)
for _ in range(3): os.wait()
"""
    lines = k.output(code)[0].splitlines()
    assert sorted(lines) == ["child 0", "child 1", "child 2", "parent first", *["x" * 3000] * 3], [x[:20] for x in lines]


def check_a_line_of_a_forked_child_stays_whole_while_another_prints(k):
    code = """
import os, sys
if os.fork() == 0:
    sys.stdout.write('x' * 3000)
    if os.fork() == 0:
        print('between')
        os._exit(0)
    os.wait()
    print()
    os._exit(0)
pid = os.wait()
"""
    assert k.output(code)[0] == "between\n" + "x" * 3000 + "\n"


def check_a_multiprocessing_pool_prints_in_the_cell_that_uses_it(k):
    k.output("import multiprocessing\ndef show(i): print('worker', i, flush=True); return i")
    code = """
with multiprocessing.get_context('fork').Pool(2) as pool: print(sum(pool.map(show, range(20))))
"""
    lines = k.output(code)[0].splitlines()
    assert sorted(lines) == sorted(["190", *[f"worker {i}" for i in range(20)]]), lines
    assert k.output("print('still here')")[0] == "still here\n"


def check_bytes_that_are_no_text_come_along_as_they_are(k):
    blob = bytes(range(256)) * 2
    messages, _ = k.run(f"import os, sys\nn = os.write(1, {blob!r})\nsys.stdout.flush()\nn = sys.stderr.buffer.write({blob!r})")
    for name in ("stdout", "stderr"):
        pieces = [m for m in messages if m["msg_type"] == "stream" and m["content"]["name"] == name]
        sent = b"".join(
            base64.b64decode(m["metadata"]["omp_bytes"]) if "omp_bytes" in m["metadata"] else m["content"]["text"].encode()
            for m in pieces
        )
        assert sent == blob, (name, sent)
        # For other clients: what can be shown of it.
        assert "".join(m["content"]["text"] for m in pieces) == blob.decode("utf-8", "replace")


def check_text_is_sent_as_text_alone_however_it_is_cut(k):
    code = "import os\nfor b in 'gr\u00fc\u00dfe \U0001f40d\\n'.encode(): n = os.write(1, bytes([b]))"
    messages, _ = k.run(code)
    pieces = [m for m in messages if m["msg_type"] == "stream"]
    assert text(messages, "stdout") == "gr\u00fc\u00dfe \U0001f40d\n"
    assert all(m["metadata"] == {} for m in pieces), pieces


def check_a_forked_child_writes_bytes_too(k):
    code = """
import os, sys
pid = os.fork()
if pid == 0:
    sys.stdout.buffer.write(b'from the child\\n')
    os._exit(0)
os.waitpid(pid, 0)
"""
    assert k.output(code)[0] == "from the child\n"


def check_threads_lose_and_mix_nothing(k):
    # Threads that take turns a thousand times as often as usual meet each other everywhere.
    code = """
import sys, threading
usual = sys.getswitchinterval()
sys.setswitchinterval(0.000005)
def run(name):
    for i in range(1000): sys.stdout.write(f'{name}{i}\\n'); sys.stderr.write(f'{name}{i}\\n')
threads = [threading.Thread(target=run, args=(name,)) for name in 'abcd']
for thread in threads: thread.start()
for thread in threads: thread.join()
sys.setswitchinterval(usual)
"""
    expected = sorted(f"{name}{i}" for name in "abcd" for i in range(1000))
    for stream in k.output(code):
        assert sorted(stream.splitlines()) == expected


def check_interrupts_at_full_speed_leave_whole_output_and_usable_streams(k):
    for _ in range(15):
        msg_id = k.send("i = 0\nwhile True:\n    print(i); i += 1")
        lines, interrupted = [], False
        while True:
            message = k.client.get_iopub_msg(timeout=20)
            if message["parent_header"].get("msg_id") != msg_id:
                continue
            if message["msg_type"] == "stream":
                lines.append(message["content"]["text"])
                if not interrupted:
                    k.interrupt()
                    interrupted = True
            if message["content"].get("execution_state") == "idle":
                break
        assert k.client.get_shell_msg(timeout=20)["content"]["ename"] == "KeyboardInterrupt"
        numbers = "".join(lines).split("\n")
        # The interrupt may fall between the number and its line end.
        assert numbers[:-1] == [str(i) for i in range(len(numbers) - 1)]
        assert k.output("print('usable')")[0] == "usable\n"


def check_signal_handlers_may_print_in_the_middle_of_a_print(k):
    code = """
import signal
caught = []
def handler(*_): caught.append(1); print('H', flush=True); signal.setitimer(signal.ITIMER_REAL, 0.0005)
old = signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.0005)
lines = 0
while len(caught) < 300: print('line' * 300); lines += 1
signal.setitimer(signal.ITIMER_REAL, 0); signal.signal(signal.SIGALRM, old)
print(lines)
"""
    out, _ = k.output(code)
    assert out.count("line" * 300) == int(out.split()[-1])
    assert out.count("H") >= 300


def check_a_handler_that_flushes_does_not_wait_for_the_print_that_it_interrupts(k):
    """The handler runs inside schedule(), after its mark is set and before the I/O thread is woken."""
    code = """
import sys, signal, time
outlet = sys.stdout._omp_outlet
waits = []
def handler(*_):
    begun = time.monotonic(); print('handled', flush=True); waits.append(time.monotonic() - begun)
old = signal.signal(signal.SIGALRM, handler)
# Where the I/O thread is awake, or a timer of the cell before is set, nobody is woken for the text.
while outlet.armed or outlet._waking: time.sleep(0.001)
wake = outlet._loop.call_soon_threadsafe
def interrupted(*arguments, **options):
    outlet._loop.call_soon_threadsafe = wake
    signal.raise_signal(signal.SIGALRM)
    return wake(*arguments, **options)
outlet._loop.call_soon_threadsafe = interrupted
sys.stdout.flush(); print('printed', flush=True)
signal.signal(signal.SIGALRM, old)
outlet._loop.call_soon_threadsafe = wake
print(len(waits), max(waits) < 5)
"""
    # The handler's line stands where it struck: between the text and the end of the other.
    out, _ = k.output(code)
    assert out == "printedhandled\n\n1 True\n", out


def check_printed_text_is_not_kept_in_memory(k):
    k.output("print('kept?' * 100)")
    code = "h = get_ipython().history_manager\nprint(any('kept?' in str(o) for o in getattr(h, 'outputs', {}).values()))"
    assert k.output(code)[0] == "False\n"


def check_text_written_just_before_a_crash_is_seen():
    from kernels import kernel

    with kernel() as k:
        # It lives until its words have come: what libzmq has not written yet would die with it.
        heard = k.directory / "heard"
        wait = f"while not os.path.exists({str(heard)!r}): time.sleep(0.01)"
        msg_id = k.send(f"import os, time\nprint('last words', flush=True)\n{wait}\nos.kill(os.getpid(), 9)")
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            message = k.client.get_iopub_msg(timeout=20)
            if message["parent_header"].get("msg_id") == msg_id and message["msg_type"] == "stream":
                assert message["content"]["text"] == "last words\n"
                heard.touch()
                assert k.process.wait(timeout=60) == -9
                return
        raise AssertionError("nothing came")
