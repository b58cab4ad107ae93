# SPDX-License-Identifier: MIT
"""A recording is only explained with the files that were traced. After a rebuild its places are addresses,
unless --symbols, a debug file or debuginfod has the old file."""
import ctypes.util
import functools
import http.server
import os
import re
import shutil
import threading

from live import Tables, check, deja, finish, leave_out, load, native, need, same, scratch

need("valgrind", "gcc", "strip", "objcopy", "readelf")
SOURCE = """
volatile double table[4096];
double sum(void)
{
    double s = 0;
    for (int i = 0; i < 4096; i++)
        s += table[i]; // [read]
    return s;
}
int main(void)
{
    double s = 0;
    for (int k = 0; k < 4; k++)
        s += sum();
    return s > 1;
}
"""
READ = SOURCE.split("\n").index("        s += table[i]; // [read]") + 1
SHIFT = 7
place = scratch("work")
os.mkdir(place)
os.mkdir(f"{place}/empty")
program, stream = f"{place}/summer", f"{place}/summer.deja"
sources = {"old": SOURCE, "new": "\n" * SHIFT + SOURCE.replace("volatile", "int other;\nvolatile")}
for name, text in sources.items():
    with open(f"{place}/{name}.c", "w") as file:
        file.write(text)


def compile(name, to=program, *flags):
    """A new file, as linkers make one."""
    if os.path.exists(to):
        os.remove(to)
    made = native("gcc", "-g", "-O1", "-o", to, f"{place}/{name}.c", *flags)
    same(made.returncode, 0, f"gcc {name}.c ({made.stderr.decode()[-300:]})")


def record():
    ran = deja("record", "-o", stream, "--", program)
    same(ran.returncode, 0, f"status of record ({ran.stderr.decode()[-500:]})")


def analyze(*options, status=0, **how):
    """The profile by all views, and what was printed on standard error."""
    path = scratch("analyzed.json")
    ran = deja("analyze", "--by", "all", "--json", "-o", path, *options, stream, **how)
    same(ran.returncode, status, f"status of analyze {options} ({ran.stderr.decode()[-500:]})")
    return (load(path) if status == 0 else None), ran.stderr.decode()


def module(document):
    """The row of the program: path, has lines, has types, state, identity."""
    return next(row for row in document["attribution"]["modules"] if row[0] == program)


def reads(document):
    """Accesses to the table in the old source's line, in function sum, with the name of the table."""
    return Tables(document).count(file="old.c", line=READ, function="sum", object="table")


def build_id(path):
    return re.search(r"Build ID: (\w+)", native("readelf", "-n", path).stdout.decode())[1]


def nothing_is_blamed(document, what):
    """No line, function, variable or loop of the program has a name; its code is addresses."""
    tables = Tables(document)
    same({p["file"] for p in tables.places} & {"old.c", "new.c"}, set(), f"{what}: files")
    same({p["function"] for p in tables.places} & {"sum", "main"}, set(), f"{what}: functions")
    same({p["object"] for p in tables.places} & {"table", "other"}, set(), f"{what}: variables")
    sites, at = tables.tables["sites"], tables.tables["modules"].index(module(document))
    same([s for s in sites if s[0] == at and (s[3] is not None or s[4] or s[5] is not None)], [],
         f"{what}: files, lines and loops of sites")
    addresses = [p for p in tables.places if re.fullmatch(r"0x[0-9a-f]+ in summer", p["function"] or "")]
    check(sum(p["accesses"] for p in addresses) >= 4 * 4096, f"{what}: accesses at addresses")


compile("old")
record()
old_build = build_id(program)
shutil.copy(program, f"{place}/kept")
document, said = analyze()
same(reads(document), 4 * 4096, "reads with the traced file")
same(module(document)[3:], ["found", f"build-id:{old_build}", ""], "the module")
same(said, "", "notes with the traced file")

# Rebuilt, deleted, truncated, not an ELF file.
compile("new")
check(build_id(program) != old_build, "the rebuilt program has the same build ID")
document, said = analyze()
same(module(document)[3], "stale", "the state after a rebuild")
nothing_is_blamed(document, "rebuilt")
check(program in said and "has changed" in said and old_build in said and "--symbols" in said,
      f"the note after a rebuild: {said}")
for view in (["analyze", "--by", "line"], ["analyze", "--by", "function"], ["analyze", "--statements", "--by", "line"]):
    text = deja(*view, stream)
    same(text.returncode, 0, f"status of {view}")
    words = " ".join(text.stdout.decode().split())
    check("has changed since it was traced" in words and re.search(r"0x[0-9a-f]+ in summer", words),
          f"{view} of a rebuilt program: {words}")
    check("new.c" not in words and "old.c" not in words and "compile with -g" not in words.split("summer (")[-1][:120],
          f"{view} of a rebuilt program blames lines: {words}")
_, said = analyze("--within", "sum", status=3)
check("has changed" in said and "--symbols" in said, f"--within after a rebuild: {said}")

os.remove(program)
document, said = analyze()
same(module(document)[3], "missing", "the state after a deletion")
nothing_is_blamed(document, "deleted")
check("is missing" in said and "-g" not in said, f"the note after a deletion: {said}")

with open(f"{place}/kept", "rb") as file:
    whole = file.read()
with open(program, "wb") as file:  # sparse
    file.write(whole)
    file.truncate((4 << 30) + 1)
document, said = analyze()
same(module(document)[3], "unreadable", "the state of a large file")
check("more than 4 GiB" in said and "-g" not in said, f"the note about a large file: {said}")
for contents in (whole[:len(whole) // 2], whole[:4], b"text\n", b""):
    with open(program, "wb") as file:
        file.write(contents)
    document, said = analyze()
    same(module(document)[3], "unreadable", f"the state of a file of {len(contents)} bytes")
    nothing_is_blamed(document, "truncated")
    check("cannot be read" in said and "-g" not in said, f"the note about a truncated file: {said}")

# The right file elsewhere: by name, below the folder, by build ID. The wrong one is refused.
compile("new")
layouts = {"name": "summer", "path": program.lstrip("/"), "build": f".build-id/{old_build[:2]}/{old_build[2:]}",
           "plain": f"{old_build[:2]}/{old_build[2:]}"}
for name, path in layouts.items():
    for what in ("kept", "wrong"):
        folder = f"{place}/{what}-{name}"
        os.makedirs(os.path.dirname(f"{folder}/{path}"))
        shutil.copy(f"{place}/kept" if what == "kept" else program, f"{folder}/{path}")
        document, said = analyze("--symbols", f"{place}/empty:{folder}")
        if what == "kept":
            same((module(document)[3], reads(document), said), ("found", 4 * 4096, ""), f"--symbols {name}")
        else:
            same(module(document)[3], "stale", f"--symbols {name}, another build")
            nothing_is_blamed(document, f"--symbols {name}, another build")

# A stripped program with its debug file, and the debug file alone.
debug = f"{place}/debug/.build-id/{old_build[:2]}/{old_build[2:]}.debug"
os.makedirs(os.path.dirname(debug))
same(native("objcopy", "--only-keep-debug", f"{place}/kept", debug).returncode, 0, "objcopy")
os.rename(debug, f"{debug}.kept")
os.symlink(debug, debug)  # it cannot be opened, by root neither
document, said = analyze("--symbols", f"{place}/debug")
same(module(document)[3], "stale", "a debug file that cannot be opened")
check(f"{debug} cannot be read (" in said, f"the note about a debug file that cannot be opened: {said}")
os.remove(debug)
os.rename(f"{debug}.kept", debug)
document, said = analyze("--symbols", f"{place}/debug")
same((module(document)[3], reads(document)), ("debug file", 4 * 4096), "a debug file alone")
same({p["loop"] for p in Tables(document).where(function="sum")}, {None}, "loops without code")
os.remove(program)
same(native("strip", "-o", program, f"{place}/kept").returncode, 0, "strip")
document, said = analyze("--symbols", f"{place}/debug")
same((module(document)[3], reads(document)), ("found", 4 * 4096), "a stripped program and its debug file")
check(None not in {p["loop"] for p in Tables(document).where(function="sum", line=READ)}, "loops of stripped code")
document, said = analyze()
same(module(document)[1:4], [False, False, "found"], "a stripped program")
text = " ".join(deja("analyze", "--by", "line", stream).stdout.decode().split())
check(re.search(r"summer \([^)]*\) has no debug information: compile with -g", text), f"a stripped program: {text}")

# Other verbs that name places.
compile("new")
parts = [f"{place}/1.dejasum", f"{place}/2.dejasum"]
path = scratch("spatial.json")
ran = deja("analyze", "--by", "line", "--symbols", f"{place}/kept-name:{place}/mistyped", stream)
same(ran.returncode, 2, "a folder of symbols that does not exist")
check(f"{place}/mistyped" in ran.stderr.decode(), f"a folder of symbols that does not exist: {ran.stderr}")
ran = deja("spatial", "--json", "-o", path, "--symbols", f"{place}/kept-name", stream)
same((reads(load(path)), ran.stderr), (4 * 4096, b""), "spatial --symbols")
ran = deja("spatial", "--json", "-o", path, stream)
nothing_is_blamed(load(path), "spatial")
check(b"has changed" in ran.stderr, f"spatial: {ran.stderr}")
ran = deja("analyze", "--by", "line", "--summary", "--symbols", f"{place}/kept-name", "-o", parts[0], stream)
same(ran.returncode, 0, f"analyze --summary ({ran.stderr})")
same(deja("join", parts[0], "--by", "line").returncode, 3, "join with another build")
ran = deja("join", parts[0], "--by", "line", "--symbols", f"{place}/kept-name")
check(ran.returncode == 0 and b"old.c" in ran.stdout, f"join --symbols: {ran.stderr}")

# Without a build ID the contents decide.
compile("old", program, "-Wl,--build-id=none")
record()
document, said = analyze()
check(re.fullmatch(r"xxh128:[0-9a-f]{32}", module(document)[4]), f"identity without a build ID: {module(document)}")
same((module(document)[3], reads(document)), ("found", 4 * 4096), "the traced file without a build ID")
os.mkdir(f"{place}/hashed")
shutil.copy(program, f"{place}/hashed/summer")
compile("new", program, "-Wl,--build-id=none")
document, said = analyze()
same(module(document)[3], "stale", "rebuilt without a build ID")
nothing_is_blamed(document, "rebuilt without a build ID")
document, said = analyze("--symbols", f"{place}/hashed")
same((module(document)[3], reads(document)), ("found", 4 * 4096), "--symbols without a build ID")

# A program that replaces its own file while it runs, and a shared library that moves after the recording.
compile("new", f"{place}/next")
with open(f"{place}/self.c", "w") as file:
    file.write("#include <stdio.h>" + SOURCE.replace("    double s = 0;\n    for (int k", f"""    double s = 0;
    if (rename("{place}/next", "{program}")) return 2;
    for (int k"""))
compile("self")
path = scratch("run.json")
ran = deja("run", "--by", "all", "--json", "-o", path, "--", program)
same(ran.returncode, 0, f"status of a program that replaces itself ({ran.stderr.decode()[-300:]})")
tables = Tables(load(path))
same(tables.count(file="new.c"), 0, "lines of the file that replaced the program")
check(tables.count(file="self.c", line=READ) == 4 * 4096 or module(load(path))[3] == "stale",
      f"places of a program that replaced itself: {module(load(path))}")

with open(f"{place}/library.c", "w") as file:
    file.write(SOURCE.split("int main")[0])
with open(f"{place}/user.c", "w") as file:
    file.write("double sum(void);\nint main" + SOURCE.split("int main")[1])
os.mkdir(f"{place}/lib")
library = f"{place}/lib/libsummer.so"
compile("library", library, "-shared", "-fPIC")
compile("user", program, library, f"-Wl,-rpath,{place}/lib")
record()
os.mkdir(f"{place}/moved")
os.rename(library, f"{place}/moved/libsummer.so")
document, said = analyze()
row = next(row for row in document["attribution"]["modules"] if row[0] == library)
same((row[3], Tables(document).count(file="library.c")), ("missing", 0), "a library that moved")
check(library in said and "is missing" in said, f"the note about a library that moved: {said}")
document, said = analyze("--symbols", f"{place}/moved")
same((Tables(document).count(file="library.c", line=READ, object="table"), said), (4 * 4096, ""),
     "a library that moved, with --symbols")

# debuginfod: a folder served by HTTP. Nothing is asked for unless DEBUGINFOD_URLS is set.
if ctypes.util.find_library("debuginfod") is None and not os.path.exists("/usr/lib/x86_64-linux-gnu/libdebuginfod.so.1"):
    leave_out("libdebuginfod.so.1 is not installed; the package libdebuginfod1 has it")
    finish()
compile("old")
record()
asked = []


class Server(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        asked.append(self.path)


served = f"{place}/served/buildid/{build_id(program)}"
os.makedirs(served)
os.rename(program, f"{served}/executable")
compile("new")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Server, directory=f"{place}/served"))
threading.Thread(target=server.serve_forever, daemon=True).start()
environment = {**os.environ, "DEBUGINFOD_URLS": f"http://127.0.0.1:{server.server_address[1]}",
               "DEBUGINFOD_CACHE_PATH": f"{place}/cache", "HOME": place}
document, said = analyze(env={**environment, "DEBUGINFOD_URLS": ""})
same((module(document)[3], asked), ("stale", []), "DEBUGINFOD_URLS is empty")
document, said = analyze(env=environment)
same((module(document)[3], reads(document), said), ("found", 4 * 4096, ""), "the executable from debuginfod")
check(any(path.endswith("/executable") for path in asked), f"what the server was asked for: {asked}")
shutil.rmtree(f"{place}/cache")
os.rename(f"{served}/executable", f"{place}/kept")
same(native("objcopy", "--only-keep-debug", f"{place}/kept", f"{served}/debuginfo").returncode, 0, "objcopy")
document, said = analyze(env=environment)
same((module(document)[3], reads(document)), ("debug file", 4 * 4096), "the debug file from debuginfod")
shutil.rmtree(f"{place}/cache")
os.remove(f"{served}/debuginfo")
shutil.copy(program, f"{served}/executable")  # a server that lies
document, said = analyze(env=environment)
same(module(document)[3], "stale", "another build from debuginfod")
server.shutdown()
finish()
