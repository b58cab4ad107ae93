# SPDX-License-Identifier: MIT
"""Runs the code blocks of a page: run.py PREFIX SOURCE PAGE [--update]

PREFIX is where Deja is installed. --update writes the real output of the console blocks into the page. Blocks
that need a package that is missing are left out; blocks.py explains the fences."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap

import blocks
import compare
import folder

# What a command needs: a pattern, the program, and the Debian package that has it.
NEEDS = [(r"valgrind|deja (run|record)|deja spatial [^\n]*-- ", "valgrind", "valgrind"),
         (r"gfortran|deja.fc", "gfortran", "gfortran"), (r"clang", "clang", "clang"), (r"zstd -", "zstd", "zstd"),
         (r"pkg-config", "pkg-config", "pkg-config"), (r"callgrind_annotate", "callgrind_annotate", "valgrind")]
PAGES_COMPILER = "12"  # the gcc that the programs whose output pages show were compiled with


class Page:
    def __init__(self, prefix, source, path):
        self.prefix, self.source, self.path = prefix, source, path
        self.text = path.read_text()
        self.failed, self.left_out, self.ran, self.lacking = 0, 0, 0, ""
        self.replaced = []  # (block, new text)
        self.outputs = {}  # of commands in console blocks: a page that shows several parts of one output runs it once

    def fail(self, line, what):
        self.failed += 1
        print(f"{self.path.relative_to(self.source)}:{line}: {what}", flush=True)

    def leave_out(self, line, package):
        self.left_out, self.lacking = self.left_out + 1, package
        print(f"left out: {self.path.relative_to(self.source)}:{line}; the package {package} has it", flush=True)

    def shell(self, commands):
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
        return done.returncode, done.stdout.decode()

    def missing(self, text):
        """The package of a program that `text` needs and that is missing, or None."""
        return next((package for pattern, program, package in NEEDS if re.search(pattern, text) and not shutil.which(program)), None)

    def check(self, block, what, commands):
        """Runs commands that must succeed, and returns what they print."""
        package = self.missing(commands)
        if package:
            return self.leave_out(block.line, package)
        self.ran += 1
        status, output = self.shell(commands)
        if status == 0:
            return output
        if self.left_out:  # it may need what an earlier block would have written
            self.leave_out(block.line, self.lacking)
        else:
            self.fail(block.line, f"{what} failed with status {status}:\n{textwrap.indent(commands, '    ')}\n{output}")
        return None

    def sh(self, block):
        self.check(block, "commands", block.text)

    def console(self, block):
        numbers_vary, fresh = block.note == "numbers vary", ""
        for command, shown in blocks.session(block.text):
            if command not in self.outputs:
                self.outputs[command] = self.check(block, "command", command)
            output = self.outputs[command]
            if output is None:
                return
            real = [line.rstrip() for line in output.rstrip("\n").split("\n")] if output else []
            fresh += f"$ {command}\n" + "".join(f"{line}\n" for line in compare.refreshed(shown, real))
            if numbers_vary and compiler() != PAGES_COMPILER:
                self.leave_out(block.line, f"gcc-{PAGES_COMPILER}")
                continue
            difference = compare.difference(shown, real, numbers_vary)
            if difference and not self.update:
                self.fail(block.line, f"output of '{command}' is not what the page shows\n{difference}")
        if not numbers_vary or compare.masked(fresh) != compare.masked(block.text):
            self.replaced.append((block, fresh))

    def program(self, block, suffix, marks, compiler_command):
        if block.note and not block.not_run:
            (pathlib.Path(self.folder) / block.note).write_text(block.text)
        if re.search(marks, block.text, re.MULTILINE):
            name = block.note or f"block{block.line}{suffix}"
            (pathlib.Path(self.folder) / name).write_text(block.text)
            self.check(block, "compiling", f"{compiler_command} {name}")
        elif any(squeezed(block.text) in squeezed(text) for text in self.sources(suffix)):
            self.ran += 1
        else:
            self.fail(block.line, "neither a program nor lines of a file below tests/ or examples/")

    def sources(self, suffix):
        for root in ("tests", "examples"):
            for path in sorted((self.source / root).rglob("*")):
                if path.suffix.lower() in (suffix, ".h"):
                    yield path.read_text()

    def c(self, block):
        self.program(block, ".c", r"\bmain\(", "cc -fsyntax-only -Wall -Wextra $(pkg-config --cflags deja)")

    def cpp(self, block):
        self.program(block, ".cpp", r"\bmain\(", "c++ -x c++ -fsyntax-only -Wall -Wextra $(pkg-config --cflags deja)")

    def fortran(self, block):
        self.program(block, ".f90", r"^\s*end program", "gfortran -fsyntax-only $(pkg-config --cflags deja-record)")

    def cmake(self, block):
        place = pathlib.Path(self.folder) / f"project{block.line}"
        place.mkdir()
        (place / "program.c").write_text("#include <deja/deja.h>\nint main(void)\n{\n    return dj_engine_find(\"fast\") == NULL;\n}\n")
        (place / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(program C)\n"
                                              "add_executable(program program.c)\n" + block.text)
        self.check(block, "cmake", f"cd project{block.line}; cmake -S . -B . -G Ninja -DCMAKE_PREFIX_PATH={self.prefix}; cmake --build .")

    def trace(self, block):
        words = block.note.split()
        (pathlib.Path(self.folder) / "lines").write_text(textwrap.dedent(block.text))
        self.check(block, "reading", f"deja stats --format {' '.join(words)} lines")

    def output(self, block):
        self.ran += 1

    text_block = output

    def json(self, block):
        self.ran += 1
        try:
            json.loads(block.text)
        except ValueError as error:
            self.fail(block.line, f"no JSON: {error}")

    def run(self, update):
        self.update = update
        found, wrong = blocks.parse(self.text)
        for line, sentence in wrong:
            self.fail(line, sentence)
        if wrong:
            return
        with tempfile.TemporaryDirectory() as home:
            self.environment = {"PATH": f"{self.prefix}/bin:{os.environ['PATH']}", "HOME": home, "LC_ALL": "C.UTF-8",
                                "PKG_CONFIG_PATH": f"{next(self.prefix.glob('**/pkgconfig'))}", "TERM": "dumb",
                                # Deja builds without its page if Node.js is missing.
                                "DEJA_VIEW_TEMPLATE": f"{self.source}/tests/support/page.html"}
            self.folder = folder.create(self.source, self.text, self.environment)
            for block in found:
                if not block.not_run:
                    getattr(self, "text_block" if block.language == "text" else block.language)(block)
            if update:
                self.write()

    def write(self):
        lines = self.text.split("\n")
        for block, fresh in reversed(self.replaced):
            lines[block.line:block.line + block.text.count("\n")] = fresh.rstrip("\n").split("\n")
        self.path.write_text("\n".join(lines))


def squeezed(text):
    """Without indentation and trailing blanks."""
    return "\n".join(line.strip() for line in text.strip().split("\n"))


def compiler():
    return subprocess.run(["gcc", "-dumpversion"], stdout=subprocess.PIPE, check=False).stdout.decode().strip()


def main(prefix, source, path, *options):
    page = Page(pathlib.Path(prefix), pathlib.Path(source), pathlib.Path(path))
    page.run("--update" in options)
    if page.failed:
        return 1
    return 77 if page.left_out and not page.ran else 0


if __name__ == "__main__":
    sys.exit(main(*(value if value.startswith("--") else os.path.abspath(value) for value in sys.argv[1:])))
