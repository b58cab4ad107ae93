# SPDX-License-Identifier: MIT
"""Puts a hostile string into each string of a profile, an option, a file name and a source in turn, and looks
at every form of output. The strings of profiles come from the schema that the program prints, so that a new
one is tested on its own.   hostile.py DEJA SOURCES"""
import concurrent.futures
import copy
import json
import os
import re
import subprocess
import sys
import tempfile
import unicodedata

DEJA, SOURCES = (os.path.abspath(path) for path in sys.argv[1:3])
sys.path.insert(0, os.path.join(SOURCES, "tests", "support"))
from hostile import BAD, RAW, STARTS, TEMPLATE, check  # noqa: E402

SCRATCH = tempfile.TemporaryDirectory(prefix="deja-hostile-")
os.chdir(SCRATCH.name)
ENVIRONMENT = {**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "100", "DEJA_VIEW_TEMPLATE": TEMPLATE}
PROFILE_RUNS = [  # form, arguments before and after the profile
    ("text", "report --by all", ""), ("ascii", "report --by all --ascii", ""), ("text", "report --width 60", ""),
    ("csv", "report --export csv", ""), ("csv", "report --by all --export csv", ""),
    ("markdown", "report --by all --export markdown", ""), ("svg", "report --export svg", ""),
    ("svg", "report --by all --export svg", ""), ("json", "report --json --by all", ""),
    ("callgrind", "report --export callgrind", ""), ("folded", "report --export folded", ""),
    ("text", "annotate", ""), ("ascii", "annotate --ascii", ""), ("csv", "annotate --export csv", ""),
    ("markdown", "annotate --export markdown", ""), ("json", "annotate --json", ""), ("text", "annotate", "grid.c"),
    ("text", "mrc", ""), ("csv", "mrc --export csv", ""), ("markdown", "mrc --export markdown", ""),
    ("svg", "mrc --export svg", ""), ("json", "mrc --json", ""), ("text", "mrc", "base_grid.json"),
    ("page", "view -o -", ""), ("page", "view -o - base_grid.json", ""), ("text", "stats", "")]
SPATIAL_RUNS = [
    ("text", "spatial", ""), ("ascii", "spatial --ascii", ""), ("csv", "spatial --export csv", ""),
    ("markdown", "spatial --export markdown", ""), ("svg", "spatial --export svg", ""), ("page", "view -o -", ""), ("json", "spatial --json", "")]
runs = failures = 0


def deja(*arguments):
    return subprocess.run([DEJA, *arguments], stdin=subprocess.DEVNULL, capture_output=True, env=ENVIRONMENT, check=False)


def examine(what, form, arguments):
    """The complaints about a run."""
    found = deja(*arguments)
    text = f"{what}: deja {' '.join(map(ascii, arguments))[:300]}"
    complaints = [] if 0 <= found.returncode < 128 else [f"{text}: status {found.returncode}"]
    for stream, output, kind in (("output", found.stdout, form if found.returncode == 0 else ""),
                                 ("errors", found.stderr, "")):
        try:
            check(kind, output)
        except Exception as why:  # pylint: disable=broad-except
            complaints.append(f"{text}: {stream}: {type(why).__name__} {ascii(str(why))[:400]}")
    return complaints, found.returncode == 0


def resolve(schema, node):
    while "$ref" in node:
        node = schema["$defs"][node["$ref"].split("/")[-1]]
    return node


def text_paths(schema, node, path=()):
    """The paths of all strings that may hold any text: names of members, positions in rows, None for each row."""
    node = resolve(schema, node)
    kinds = node.get("type")
    if "string" in (kinds if isinstance(kinds, list) else [kinds]) and "pattern" not in node and kinds != ["integer", "string"]:
        yield path
    for part in (*node.get("anyOf", ()), *node.get("oneOf", ()), *node.get("allOf", ())):
        yield from text_paths(schema, part, path)
    for name, member in node.get("properties", {}).items():
        yield from text_paths(schema, member, path + (name,))
    for position, member in enumerate(node.get("prefixItems", ())):
        yield from text_paths(schema, member, path + (position,))
    if isinstance(node.get("items"), dict):
        yield from text_paths(schema, node["items"], path + (None,))


def found_paths(value, path=()):
    if isinstance(value, dict):
        for name, member in value.items():
            yield from found_paths(member, path + (name,))
    elif isinstance(value, list):
        for position, member in enumerate(value):
            row = isinstance(member, (list, dict)) or all(isinstance(at, str) for at in value)
            yield from found_paths(member, path + (None if row else position,))
    elif isinstance(value, str):
        yield path


def plant(value, path, text):
    """Writes the text to all places of the path; returns their number."""
    here, rest = path[0], path[1:]
    if here is None:
        if not isinstance(value, list) or (not rest and not value):
            return 0
        if rest:
            return sum(plant(member, rest, text) for member in value)
        value[:] = [text + str(at) if at else text for at in range(len(value))]
        return len(value)
    if isinstance(here, int):
        if not isinstance(value, list) or here >= len(value):
            return 0
    elif not isinstance(value, dict) or (rest and here not in value):
        return 0
    if rest:
        return plant(value[here], rest, text)
    value[here] = text
    return 1


def pad(schema, node, value):
    """Adds the cells that rows may leave out at their end, as far as they are simple."""
    node = resolve(schema, node)
    if isinstance(value, dict):
        for name, member in node.get("properties", {}).items():
            if name in value:
                pad(schema, member, value[name])
    elif isinstance(value, list) and "prefixItems" in node:
        for cell in map(lambda cell: resolve(schema, cell), node["prefixItems"][len(value):]):
            simple = {"string": "", "boolean": False, "integer": 0}
            if "enum" not in cell and str(cell.get("type")) not in simple:
                break
            value.append(cell["enum"][0] if "enum" in cell else simple[cell["type"]])
    elif isinstance(value, list) and isinstance(node.get("items"), dict):
        for member in value:
            pad(schema, node["items"], member)


def save(name, profile):
    with open(name, "wb") as file:
        text = json.dumps(profile, ensure_ascii=False)
        file.write(text.encode().replace(b"RAW", RAW))


def make_bases(schema):
    with open(os.path.join(SOURCES, "tests", "support", "grid", "profile.json"), encoding="utf-8") as file:
        grid = json.load(file)
    grid["partial"] = True
    grid["provenance"].update(exact=False, inputs=["a", "b", "c", "d"], missing="process 1 ran untraced")
    grid["attribution"]["threads"][0][1] = "worker"
    pad(schema, schema, grid)
    grid["processes"] = [{**copy.deepcopy(grid), "process": {"pid": 7, "command": "child"}}]
    with open("trace.txt", "w", encoding="ascii") as file:
        file.writelines(f"l 0x{(7 * i % 64) * 64:x} 4\n" for i in range(500))
    with open("devices.csv", "w", encoding="ascii") as file:
        file.writelines(f"{i % 40},{i % 3}\n" for i in range(500))
    made = {"base_grid.json": grid}
    with open(os.path.join(SOURCES, "tests", "support", "counters", "profile.json"), encoding="utf-8") as file:
        made["base_counters.json"] = json.load(file)
    for name, arguments in (
            ("base_spatial.json", ["spatial", "--format", "address", "trace.txt"]),
            ("base_ways.json", ["analyze", "--tlb", "--caches", "L1=2K/2", "--format", "address", "trace.txt"]),
            ("base_each.json", ["analyze", "--joint", "--each", "device", "--format", "csv", "--columns",
                                "address,device", "devices.csv"]),
            ("base_shared.json", ["concurrent", "--by-thread", "--schedules", "2", "--caches", "L1=4K", "--format", "csv", "--columns",
                                  "address,thread", "devices.csv"])):
        found = deja(arguments[0], "--json", *arguments[1:])
        assert found.returncode == 0, found.stderr
        made[name] = json.loads(found.stdout)
    each = made["base_each.json"]  # a second block size, with what the first one has
    lane = [name for name in each if name not in ("schema", "version", "engine", "provenance", "bins")]
    each["blocks"] = [{**{name: copy.deepcopy(each[name]) for name in lane}, "block_bytes": 4}]
    for name, profile in made.items():
        save(name, profile)
    return made


def profile_jobs(schema, bases):
    paths = set(text_paths(schema, schema))
    assert len(paths) > 25, paths
    for profile in bases.values():
        paths |= set(found_paths(profile))
    for number, path in enumerate(sorted(paths, key=str)):
        held = False
        for base, profile in bases.items():
            spoiled = copy.deepcopy(profile)
            start = STARTS[number % len(STARTS)]
            if not plant(spoiled, path, start + BAD + "RAW"):
                continue
            held = True
            name = f"bad{number}_{base}"
            save(name, spoiled)
            whole = name + ".whole"  # the bytes that are not UTF-8 may make a reader refuse all
            plant(spoiled, path, start + BAD)
            save(whole, spoiled)
            columns = f"bad{number}_{base}.dejap"
            stored = deja("report", whole, "-o", columns).returncode == 0
            wanted = SPATIAL_RUNS if "spatial" in base else PROFILE_RUNS
            for form, before, after in wanted:
                yield path, form, [*before.split(), whole, *after.split()]
            for form, before, after in wanted[:1] + wanted[-1:]:
                yield path, form, [*before.split(), name, *after.split()]
                if stored:
                    yield path, form, [*before.split(), columns, *after.split()]
        assert held, f"no profile of this test has {path}: add one to make_bases"


def option_jobs():
    """Every option of every verb with a hostile value, and hostile verbs and files."""
    verbs = re.findall(r"^  ([a-z+-]+) ", deja("--help").stdout.decode(), flags=re.M)
    assert len(verbs) > 10, verbs
    for text in (BAD, "=" + BAD[:60], "--" + BAD[:60], "\x1b]0;t\x07", "\n" + BAD[-40:]):
        for arguments in ([text], ["help", text], ["help", "--form", text], ["info", text], [text + ".json"]):
            yield "arguments", "", arguments
        for verb in verbs:
            if verb not in ("cc", "c++", "fc"):  # the compiler's message
                yield "arguments", "", [verb, text]
    for verb in verbs:
        options = set(re.findall(r"^ +(?:-\w, )?(--[a-z-]+) [A-Z]", deja(verb, "--help-all").stdout.decode(), flags=re.M))
        for option in sorted(options):
            yield "options", "", [verb, option, BAD[:200], "trace.txt"]


def name_jobs():
    """Traces and sources with hostile names and contents."""
    name = os.fsdecode(("=\x1b[31m\x9bn\u202e\n" + "deja: forged line <b>\"|`").encode() + RAW)
    names = [name, "./" + name, "./" + name + ".csv"]
    with open("trace.txt", "rb") as file:
        text = file.read()
    for at in names:
        with open(at, "wb") as file:
            file.write(text)
    with open(name + "bad", "wb") as file:
        file.write(b"l 0x10 4\n\x1b[31m\x9b\xff\n")
    profile, columns = name + "p.json", name + "p.dejap"
    assert deja("analyze", "--format", "address", "--json", "-o", profile, names[1]).returncode == 0
    assert deja("analyze", "--format", "address", "-o", columns, names[1]).returncode == 0
    for form, before, after in PROFILE_RUNS:
        for at in (profile, columns):
            yield "file names", form, [*before.split(), "./" + at, *after.split()]
    for verb in ("analyze", "mrc", "stats", "spatial"):
        for form in ("text", "csv", "markdown", "svg"):
            yield "file names", form, [verb, "--format", "address", "--export", form, names[1]]
        yield "file names", "json", [verb, "--format", "address", "--json", names[1]]
        yield "file names", "", [verb, "./" + name + "bad"]
        yield "file names", "", [verb, "--format", "address", "./" + name + "bad"]
    yield "file names", "", ["convert", "--format", "address", names[1], "-o", name + ".deja"]
    yield "file names", "", ["report", name + "p.json", "-o", name + "/x"]
    yield "file names", "", ["join", names[1], name]
    for verb in ("run", "record"):
        yield "file names", "", [verb, "./" + name + "none"]


def examine_all_characters():
    """Prints a source with every character. Unicode's own tables say which of them must not appear."""
    visible = {*range(0x600, 0x606), 0x6dd, 0x70f, 0x890, 0x891, 0x8e2, 0x110bd, 0x110cd, *range(0x13430, 0x13440)}
    fillers = {0x115f, 0x1160, 0x3164, 0xffa0}  # letters without a glyph
    every = [c for c in range(1, 0x110000) if not 0xd800 <= c < 0xe000 and c not in (9, 10, 13)]
    with open("grid.c", "w", encoding="utf-8") as file:
        for at in range(0, len(every), 900):
            file.write("".join(map(chr, every[at:at + 900])) + "\n")
    for form in ("text", "csv"):
        printed = set(deja("annotate", "--export", form, "base_grid.json", "grid.c").stdout.decode())
        forbidden = {c for c in printed if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") and ord(c) not in visible}
        letters = {chr(c) for c in every if unicodedata.category(chr(c))[0] in "LNS"} - set(map(chr, fillers))
        assert forbidden <= {"\n"}, sorted(map(ascii, forbidden))
        assert form == "csv" or letters <= printed | {"\ufffc", "\ufffd"}, sorted(map(ascii, letters - printed))[:50]


def main():
    global runs, failures
    with open("grid.c", "wb") as file:  # the source that annotate shows
        file.writelines(b"\t%s%s %d\n" % (BAD[:300].replace("\n", "").encode(), RAW, i) for i in range(30))
    schema = json.loads(deja("help", "--form", "schema").stdout)
    bases = make_bases(schema)
    printed = {}
    with concurrent.futures.ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
        jobs = [*profile_jobs(schema, bases), *option_jobs(), *name_jobs()]
        for (what, _, arguments), (complaints, good) in zip(jobs, pool.map(lambda job: examine(*job), jobs)):
            runs += 1
            printed[arguments[0]] = printed.get(arguments[0], 0) + good
            for complaint in complaints:
                failures += 1
                if failures <= 20:
                    print(complaint)
    examine_all_characters()
    for verb in ("report", "annotate", "mrc", "spatial", "analyze", "view"):
        assert printed[verb] >= 5, f"deja {verb} printed hardly anything: {printed}"
    print(f"{runs} runs, {failures} complaints")
    return failures > 0


sys.exit(main())
