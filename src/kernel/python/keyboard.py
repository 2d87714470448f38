"""input() of a cell: the user answers where the cell is theirs; elsewhere it ends the cell at once, with an explanation."""

NO_KEYBOARD = "cells have no keyboard: input() and getpass() cannot ask. Put the value into the code."


class Keyboard:
    def __init__(self):
        self._questions = None

    def start(self, questions):
        self._questions = questions

    def read(self, prompt):
        """None where nobody types."""
        answer = self._questions.ask("input", prompt=prompt) if self._questions else None
        line = answer.get("line") if answer else None
        return line if isinstance(line, str) else None


keyboard = Keyboard()


def install(kernel):
    from IPython.core.error import StdinNotImplementedError

    raw_input, getpass = kernel.raw_input, kernel.getpass

    # Another client of the kernel, such as a console, may have a keyboard.
    def has_own_keyboard():
        return getattr(kernel, "_allow_stdin", False)

    def read_line(prompt=""):
        if has_own_keyboard():
            return raw_input(prompt)
        line = keyboard.read(str(prompt))
        if line is None:
            raise StdinNotImplementedError(NO_KEYBOARD)
        # As a terminal would show it.
        print(f"{prompt}{line}")
        return line

    def read_secret(*arguments, **options):
        if has_own_keyboard():
            return getpass(*arguments, **options)
        raise StdinNotImplementedError(NO_KEYBOARD)

    kernel.raw_input = read_line
    kernel.getpass = read_secret
