"""What boot makes of a kernel: place, environment, namespace, modules, plots, input, history."""

import base64
import os
import sqlite3

from kernels import kernel, text


def check_the_answer_describes_the_kernel():
    with kernel(config={"env": {"MADE": "é \u2028 😀"}}) as k:
        answer = k.boot_result
        k.output("import ipykernel, os, platform")
        out, _ = k.output("print(platform.python_version(), ipykernel.__version__, os.getpid(), os.environ['MADE'])")
        assert out == f"{answer['python']} {answer['ipykernel']} {answer['pid']} é \u2028 😀\n", out
        assert answer["fastStreams"] is True and answer["problems"] == []
        names = [helper["name"] for helper in answer["helpers"]]
        assert names == ["bash", "read_text", "write_text", "edit_text", "find_files", "grep", "tree"]
        assert all(helper["signature"].startswith(helper["name"] + "(") for helper in answer["helpers"])
        assert all(helper["summary"].endswith(".") for helper in answer["helpers"])


def check_the_namespace_and_the_counters_are_those_of_a_new_session(k):
    assert k.output("%who")[0] == "Interactive namespace is empty.\n"
    messages, reply = k.run("dir()")
    assert reply["execution_count"] == 2, reply
    with kernel(booted=False) as stock:
        stock.run("%who")
        plain, _ = stock.run("dir()")
    added = set(eval(result(messages))) - set(eval(result(plain)))
    assert added == {"omp", *(helper["name"] for helper in k.boot_result["helpers"])}, added
    assert k.output("print(len(In), [*Out], repr(__))")[0] == "4 [2] ''\n"


def result(messages):
    return next(m["content"]["data"]["text/plain"] for m in messages if m["msg_type"] == "execute_result")


def check_imports_follow_the_working_directory():
    with kernel() as k:
        for place, value in (("one", 1), ("two", 2)):
            (k.directory / place).mkdir()
            (k.directory / place / f"mod_{place}.py").write_text(f"value = {value}")
        (k.directory / "one" / "mod_left.py").write_text("value = 3")
        with kernel(config={"cwd": str(k.directory / "one")}) as other:
            assert other.boot_result["cwd"] == os.path.realpath(k.directory / "one")
            assert other.output("import sys, mod_one; print(mod_one.value, repr(sys.path[0]))")[0] == "1 ''\n"
            assert other.output("import os; print(os.getcwd() in sys.path)")[0] == "True\n"
            assert other.output("os.chdir('../two'); import mod_two; print(mod_two.value)")[0] == "2\n"
            assert other.output("import mod_left; print(mod_left.value)")[0] == "3\n"


def check_modules_give_their_public_names_and_a_failing_one_is_reported():
    modules = [
        {"name": "first", "source": "import os\nprint('hello from first')\ndef hello(): return 'user'\nshared = 1\n_private = 2"},
        {"name": "broken", "source": "x = 1\nraise ValueError('no luck')"},
        {"name": "syntax", "source": "def ("},
        {"name": "leaving", "source": "raise SystemExit(3)"},
        {"name": "missing", "path": "/nonexistent/missing.py"},
        {"name": "last", "source": "shared = 2\n__all__ = ['shared']\nhidden = 3"},
    ]
    with kernel() as k:
        answers = {module["name"]: k.load_module(module) for module in modules}
        assert {name: answer["names"] for name, (_, answer) in answers.items()} == {
            "first": ["hello", "shared"],
            "broken": [],
            "syntax": [],
            "leaving": [],
            "missing": [],
            "last": ["shared"],
        }, answers
        errors = {name: answer["error"] for name, (_, answer) in answers.items()}
        assert errors["first"] is None and answers["first"][0] == "hello from first\n", answers
        assert errors["broken"] == "ValueError: no luck" and "missing.py" in errors["missing"], errors
        assert k.output("print(hello(), shared, 'os' in dir(), 'hidden' in dir())")[0] == "user 2 False False\n"
        assert k.output("%who")[0] == "Interactive namespace is empty.\n"
        k.run("%reset -f")
        assert k.output("print(hello(), bash)")[0].startswith("user <function bash")


def check_input_and_getpass_end_the_cell_at_once_with_an_explanation(k):
    for code in ("input('name? ')", "import getpass; getpass.getpass()"):
        _, reply = k.run(code, allow_stdin=False)
        assert reply["ename"] == "StdinNotImplementedError", reply
        assert "no keyboard" in reply["evalue"]
    assert k.output("import sys; print(repr(sys.stdin.read()))")[0] == "''\n"


def check_what_is_planned_is_a_line_and_no_mystery(k):
    for name in ("install",):
        _, reply = k.run(f"omp.{name}('x')")
        told = f"omp.{name} is planned but not available in this version of omp"
        assert (reply["ename"], reply["evalue"]) == ("AttributeError", told), reply
    _, reply = k.run("omp.tools.read(path='x')")
    told = "omp.tools.read: omp answers only cells that it runs itself, and only in the kernel's own process"
    assert (reply["ename"], reply["evalue"]) == ("ToolError", told), reply
    _, reply = k.run("omp.tools.read('x')")
    told = "omp.tools.read takes named arguments only, such as omp.tools.read(path='x')"
    assert (reply["ename"], reply["evalue"]) == ("TypeError", told), reply
    _, reply = k.run("omp.nonsense")
    assert reply["evalue"] == "omp has no 'nonsense'", reply


def check_commands_have_an_empty_standard_input(k):
    assert k.output("!cat; echo over")[0] == "over\r\n"
    assert k.output("seen = !cat; echo over\nprint(seen)")[0] == "['over']\n"
    assert k.output("%%bash\necho a; cat\necho lost")[0] == "a\necho lost\n"
    k.output("word = 'né'")
    assert k.output("!printf '%s' {word} $word; exit 3")[0] == "néné"
    assert k.output("print(_exit_code)")[0] == "3\n"


def check_commands_work_with_a_login_shell_of_another_family():
    with kernel(environment={"SHELL": "/usr/bin/env"}) as k:
        assert k.output("!cat; echo over")[0] == "over\r\n"


def check_an_interrupted_command_ends_its_cell(k):
    request = k.send("!echo begun; sleep 60\nprint('after')")
    while "begun" not in k.client.get_iopub_msg(timeout=60)["content"].get("text", ""):
        continue
    k.interrupt()
    messages, reply = k.collect(request)
    assert reply["status"] == "error" and reply["ename"] == "KeyboardInterrupt", reply
    assert "after" not in text(messages, "stdout")


def check_a_figure_becomes_a_png_and_matplotlib_is_loaded_only_by_who_uses_it():
    with kernel(environment={"MPLBACKEND": "Agg"}) as k:
        assert k.output("import sys; print('matplotlib' in sys.modules)")[0] == "False\n"
        messages, reply = k.run("import matplotlib.pyplot as plt\nprint('before')\nplt.plot([1, 2]);")
        assert reply["status"] == "ok", reply
        pngs = [m for m in messages if "image/png" in m["content"].get("data", {})]
        assert len(pngs) == 1, [m["msg_type"] for m in messages]
        assert base64.b64decode(pngs[0]["content"]["data"]["image/png"]).startswith(b"\x89PNG")
        assert text(messages, "stdout") == "before\n"
        messages, _ = k.run("pass")
        assert not [m for m in messages if m["msg_type"] == "display_data"]


def check_no_history_is_written():
    with kernel() as k:
        k.output("secret = 1")
        k.run("get_ipython().history_manager.writeout_cache()")
        files = list((k.directory / "ipython").rglob("history.sqlite"))
        for file in files:
            with sqlite3.connect(file) as database:
                assert database.execute("select count(*) from history").fetchone() == (0,)
    with kernel(arguments=["--HistoryManager.enabled=False"]) as k:
        k.output("secret = 1")
        assert list((k.directory / "ipython").rglob("history.sqlite")) == []


def check_booting_twice_changes_nothing(k):
    k.boot({})
    assert k.output("print('once')")[0] == "once\n"


def check_a_kernel_whose_streams_are_not_ipykernels_still_boots():
    with kernel(booted=False) as k:
        k.run("import io, sys\nkept = sys.stdout\nsys.stdout = io.StringIO()")
        answer = k.boot({})
        assert answer["fastStreams"] is False and "StringIO" in answer["problems"][0], answer
        k.run("sys.stdout = kept")
        assert k.output("print(bash('echo hi', show=False).text)")[0] == "hi\n\n"


def check_a_kernel_without_what_fast_streams_need_keeps_its_own_and_says_so():
    with kernel(booted=False) as k:
        k.run("import sys\ndel sys.stderr.watch_fd_thread")
        answer = k.boot({})
        assert answer["problems"] == ["fast output: this ipykernel has no OutStream.watch_fd_thread"], answer
        assert k.output("import os\nprint('printed')\nprint(type(sys.stdout).__name__, file=sys.stderr)") == (
            "printed\n",
            "OutStream\n",
        )


def check_streams_that_could_not_be_replaced_are_as_they_were():
    with kernel(booted=False) as k:
        k.run("import sys\nsys.stderr._fid = 'not a descriptor'")
        answer = k.boot({})
        assert answer["fastStreams"] is False and answer["problems"][0].startswith("fast output: TypeError"), answer
        for _ in range(2):
            assert k.output("print('printed')") == ("printed\n", "")
