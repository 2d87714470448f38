"""Runs every check_… function of one driver file and prints one JSON line for each: {"check", "problem"}."""

import importlib
import json
import pathlib
import sys
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from kernels import Kernel  # noqa: E402


def main(driver):
    module = importlib.import_module(driver)
    shared = None
    try:
        for name, check in [item for item in vars(module).items() if item[0].startswith("check_")]:
            problem = None
            try:
                if check.__code__.co_argcount == 0:
                    check()
                else:
                    shared = shared or Kernel()
                    check(shared)
            except Exception:
                problem = traceback.format_exc()
                if shared is not None:
                    shared.stop()
                    shared = None
            print(json.dumps({"check": name, "problem": problem}), flush=True)
    finally:
        if shared is not None:
            shared.stop()


if __name__ == "__main__":
    main(sys.argv[1])
