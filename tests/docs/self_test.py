# SPDX-License-Identifier: MIT
"""What run.py finds wrong, what it accepts, and what --update writes: self_test.py PREFIX"""
import contextlib
import io
import pathlib
import sys
import tempfile

import compare
import run

prefix, failed = pathlib.Path(sys.argv[1]).resolve(), 0


def expect(what, real, wanted):
    global failed
    if real != wanted:
        failed = 1
        print(f"{what}: {real!r}, not {wanted!r}")


def outcome(text, *options):
    """Runs a page; returns the status, what was printed, and the page afterwards."""
    with tempfile.TemporaryDirectory() as source, contextlib.redirect_stdout(io.StringIO()) as printed:
        page = pathlib.Path(source) / "page.md"
        for name in ("examples", "tests"):
            (pathlib.Path(source) / name).mkdir()
        (pathlib.Path(source) / "tests" / "some.c").write_text("int a;\n    int b;\n")
        page.write_text(text)
        status = run.main(prefix, source, page, *options)
        return status, printed.getvalue(), page.read_text()


def block(fence, *lines):
    return f"```{fence}\n" + "".join(f"{line}\n" for line in lines) + "```\n"


expect("a page without blocks", outcome("text\n")[0], 0)
expect("no language", outcome(block("", "deja info"))[0], 1)
expect("an unknown language", outcome(block("perl", "1"))[0], 1)
expect("a reason is missing", outcome(block("sh not run:", "deja info"))[0], 1)
expect("an unknown note", outcome(block("sh slow", "deja info"))[0], 1)
expect("a command outside of a block", outcome("\n    deja info\n")[0], 1)
expect("a command as text", outcome(block("text", "deja info"))[0], 1)
expect("not run", outcome(block("sh not run: needs a network", "false"))[0], 0)
expect("a command that fails", outcome(block("sh", "deja none.bin"))[0], 1)
expect("the first of two commands fails", outcome(block("sh", "false", "true"))[0], 1)
expect("a command that works", outcome(block("sh", "deja info formats"))[0], 0)
expect("the right output", outcome(block("console", "$ echo a b", "a b"))[0], 0)
expect("the wrong output", outcome(block("console", "$ echo a b", "a c"))[0], 1)
expect("a part of the output", outcome(block("console", "$ seq 9", "…", "3", "4", "…", "8", "9"))[0], 0)
expect("parts in the wrong order", outcome(block("console", "$ seq 9", "…", "8", "…", "3", "…"))[0], 1)
expect("other numbers", outcome(block("console numbers vary", "$ echo 12,345 of 9.5% x", "7 of <.1% x"))[0], 0)
if run.compiler() == run.PAGES_COMPILER:
    expect("other words", outcome(block("console numbers vary", "$ echo 1 x", "1 y"))[0], 1)
expect("a program", outcome(block("c", "int main(void) { return 0; }"))[0], 0)
expect("a program with an error", outcome(block("c", "int main(void) { return x; }"))[0], 1)
expect("lines of a test", outcome(block("c", "int a;", "int b;"))[0], 0)
expect("lines of no test", outcome(block("c", "int c;"))[0], 1)
expect("a trace", outcome(block("trace alibaba", "3,R,8192,4096,1577808000000"))[0], 0)
expect("a wrong trace", outcome(block("trace alibaba", "3,R,8192"))[0], 1)
expect("JSON", (outcome(block("json", "{}"))[0], outcome(block("json", "{"))[0]), (0, 1))
expect("a saved file", outcome(block("c x.c", "int main(void) { return 0; }") + block("sh", "test -s x.c"))[0], 0)

text = block("console", "$ seq 3", "2") + "text\n" + block("console", "$ printf '1 a\\n2 b\\n3 c\\n'", "…", "7 b", "…")
expect("--update", outcome(text, "--update")[2],
       block("console", "$ seq 3", "1", "2", "3") + "text\n" + block("console", "$ printf '1 a\\n2 b\\n3 c\\n'", "…", "2 b", "…"))
expect("refreshed lines that look alike", compare.refreshed(["…", "b 2", "b 3", "…"], ["b 1", "b 2", "b 4", "c"]), ["…", "b 2", "b 4", "…"])
expect("refreshed sentence", compare.refreshed(["…", "a longer", "sentence.", "…"], ["x", "a longer", "sentence that", "goes on.", "y"]),
       ["…", "a longer", "sentence that", "goes on.", "…"])
sys.exit(failed)
