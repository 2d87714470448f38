"""The helpers: bash() and its processes, files, searches, status events."""

import os
import signal
import time

from kernels import kernel, text


def statuses(messages):
    found = [m["content"]["data"] for m in messages if m["msg_type"] == "display_data"]
    assert all(list(data) == ["application/x-omp-status"] for data in found), found
    return [data["application/x-omp-status"] for data in found]


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return file.read().rpartition(")")[2].split()[0] != "Z"


def wait_until_dead(pid):
    deadline = time.monotonic() + 20
    while is_alive(pid):
        assert time.monotonic() < deadline, pid
        time.sleep(0.01)


def first_text(k, msg_id):
    while True:
        message = k.client.get_iopub_msg(timeout=20)
        if message["parent_header"].get("msg_id") == msg_id and message["msg_type"] == "stream":
            return message["content"]["text"]


def check_bash_shows_output_and_returns_code_and_text(k):
    messages, reply = k.run("r = bash('echo out; echo err >&2; exit 3')\nr")
    assert reply["status"] == "ok", reply
    assert text(messages, "stdout") == "out\nerr\n"
    assert statuses(messages)[0]["label"] == "Ran echo out; echo err >&2; exit 3"
    assert statuses(messages)[0]["detail"]["exitCode"] == 3
    assert [m["content"]["data"]["text/plain"] for m in messages if m["msg_type"] == "execute_result"] == [
        "<bash: exit code 3, 8 characters>"
    ]
    assert k.output("print(r.exit_code, repr(r.text), bool(r), r.lines)")[0] == "3 'out\\nerr\\n' False ['out', 'err']\n"


def check_bash_has_an_empty_standard_input_and_keeps_quiet_when_told(k):
    assert k.output("print(repr(bash('cat; echo done', show=False).text))")[0] == "'done\\n'\n"


def check_bash_takes_cwd_env_and_timeout(k):
    out, _ = k.output("r = bash('echo $PWD $ADDED; kill -9 $$', cwd='/', env={'ADDED': 'yes'})\nprint(r.exit_code)")
    assert out == "/ yes\n137\n", out
    out, _ = k.output("r = bash('echo begun; sleep 1000', timeout=3)\nprint(r.exit_code, r.timed_out, repr(r.text))")
    assert out == "begun\n124 True 'begun\\n'\n", out


def check_bash_uses_the_shell_snapshot_when_its_variable_is_set():
    with kernel() as k:
        snapshot = k.directory / "snap shot.sh"
        snapshot.write_text("shopt -s expand_aliases\nalias hi='echo from alias'\nf() { echo from function $1; }\necho noise")
        k.output(f"import os; os.environ['OMP_SHELL_SNAPSHOT'] = {str(snapshot)!r}")
        assert k.output("r = bash('hi; f x')")[0] == "from alias\nfrom function x\n"


def check_bash_streams_while_it_runs(k):
    go = k.directory / "go"
    msg_id = k.send(f"r = bash('echo first; while [ ! -e {go} ]; do sleep 0.02; done; echo second')")
    assert first_text(k, msg_id) == "first\n"
    go.touch()
    messages, _ = k.collect(msg_id)
    assert text(messages, "stdout") == "second\n"


def check_bash_returns_when_the_command_ends_though_a_background_process_holds_the_pipe(k):
    out, _ = k.output("r = bash('sleep 1000 & echo $!')")
    assert is_alive(int(out))
    os.kill(int(out), signal.SIGKILL)


def check_an_interrupt_kills_the_whole_tree(k):
    msg_id = k.send("bash(\"trap '' INT TERM; sh -c 'sleep 1000 & echo $!; wait' & wait\")")
    pid = int(first_text(k, msg_id))
    k.interrupt()
    _, reply = k.collect(msg_id)
    assert reply["ename"] == "KeyboardInterrupt", reply
    wait_until_dead(pid)
    assert k.output("print('next')")[0] == "next\n"


def check_what_bash_left_running_ends_with_a_killed_kernel():
    with kernel() as k:
        pid = int(k.output("r = bash('sleep 1000 & echo $!')")[0])
        k.output("r = bash('true')")
        os.kill(k.process.pid, signal.SIGKILL)
        wait_until_dead(pid)


def check_files_are_written_read_and_edited(k):
    messages, reply = k.run(
        """
write_text('sub/dir/a.txt', 'one\\r\\ntwo\\nthree\\n')
write_text('sub/dir/a.txt', 'one\\r\\ntwo\\nthree\\n')
assert read_text('sub/dir/a.txt') == 'one\\r\\ntwo\\nthree\\n'
assert read_text('sub/dir/a.txt', 2, 3) == 'two\\nthree\\n'
assert edit_text('sub/dir/a.txt', 'two', 'zwei') == 1
assert edit_text('sub/dir/a.txt', 'e', 'E', every=True) == 4
assert open('sub/dir/a.txt', newline='').read() == 'onE\\r\\nzwEi\\nthrEE\\n'
for old in ('absent', 'E', ''):
    try: edit_text('sub/dir/a.txt', old, 'x')
    except ValueError: pass
    else: raise AssertionError(old)
"""
    )
    assert reply["status"] == "ok", reply
    labels = [status["label"] for status in statuses(messages)]
    assert labels[:3] == ["Wrote sub/dir/a.txt", "Replaced sub/dir/a.txt", "Read sub/dir/a.txt"], labels


def check_an_edit_keeps_line_endings_and_bytes_that_are_no_text(k):
    _, reply = k.run(
        """
open('crlf.txt', 'wb').write(b'one\\r\\ntwo\\xff\\r\\n')
assert edit_text('crlf.txt', 'one\\ntwo', '1\\n2') == 1
assert edit_text('crlf.txt', '1', '0\\n1') == 1
assert open('crlf.txt', 'rb').read() == b'0\\r\\n1\\r\\n2\\xff\\r\\n', open('crlf.txt', 'rb').read()
"""
    )
    assert reply["status"] == "ok", reply


def check_files_and_lines_are_found(k):
    _, reply = k.run(
        """
for name in ('p/a.py', 'p/q/b.py', 'p/q/c.txt', 'p/.git/d.py', 'p/node_modules/e.py', 'p/.hidden.py'): write_text(name, 'import x\\nVALUE = 1\\n')
open('p/binary.py', 'wb').write(b'VALUE\\0')
assert find_files('*.py', 'p') == ['p/a.py', 'p/binary.py', 'p/q/b.py'], find_files('*.py', 'p')
assert find_files('q/*.py', 'p') == ['p/q/b.py']
assert find_files('**/[bc].*', 'p') == ['p/q/b.py', 'p/q/c.txt']
for name in ('w/[id]/page.tsx', 'w/i/page.tsx', 'w/[...slug]/a.tsx'): write_text(name, 'VALUE')
assert find_files('[id]/page.tsx', 'w') == ['w/[id]/page.tsx', 'w/i/page.tsx'], find_files('[id]/page.tsx', 'w')
assert find_files('**/[...slug]/*.tsx', 'w') == ['w/[...slug]/a.tsx']
assert grep('VAL', 'w', glob='[...slug]/*') == ['w/[...slug]/a.tsx:1:VALUE']
assert grep('VAL', 'p', glob='*.py') == ['p/a.py:2:VALUE = 1', 'p/q/b.py:2:VALUE = 1']
assert grep('value', 'p/a.py', ignore_case=True) == ['p/a.py:2:VALUE = 1']
assert grep('VAL', 'p', limit=1) == ['p/a.py:2:VALUE = 1']
assert tree('p') == 'p/\\n  node_modules/ (not shown)\\n  q/\\n    b.py\\n    c.txt\\n  a.py\\n  binary.py', tree('p')
"""
    )
    assert reply["status"] == "ok", reply
