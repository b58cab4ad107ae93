# SPDX-License-Identifier: MIT
"""The commands under test, and their inputs: small, so that a trial takes milliseconds."""
import dataclasses
import gzip
import lzma
import os
import shlex
import shutil
import subprocess
import zipfile

# A partial result, or one that may lack processes, says so in every form: in JSON as a value, elsewhere as a word.
PARTIAL = rb'"partial": true|"missing": "[^"]|\bMISSING\b|(?i:\bpartial\b)(?!":|_reason)'


@dataclasses.dataclass
class Case:
    name: str
    words: list
    outputs: tuple = ()
    marks: bytes = PARTIAL
    runs_program: bool = False  # the verb runs a program and returns its status
    may_run: bool = False  # the verb also reads files: which one it is, is not known at once
    program: str = ""  # where the fault strikes; empty: in deja
    environment: dict = dataclasses.field(default_factory=dict)
    in_place: bool = False  # a refused command may leave a part of its output, from which the rest is missing
    view: tuple = ()  # a command that shows an output file, for one that may differ in its bytes
    status: int = 0  # without a fault
    few: int = 0  # slow: only this many trials per kind and mode


# Faults that are known and not yet fixed: (case, kind): reason. They are counted, but do not fail the run.
KNOWN = {}

CACHES = "--caches L1=256/2,L2=1K"
FORMS = ("text", "csv", "markdown", "svg")

# NAME: COMMAND; {out} is an output file, which exists before every second trial.
SIMPLE = {
    "analyze": f"analyze {CACHES} in/keys.txt",
    "analyze-host": "analyze in/keys.txt",
    "analyze-all": f"analyze {CACHES} --time --fingerprint --windows 100 --bins exact --json in/keys.txt -o {{out}}",
    "analyze-phases": f"analyze {CACHES} --windows 20 in/keys.txt",
    "mrc-phases": f"mrc {CACHES} --windows 20 --json in/keys.txt",
    "stats-median": "stats --rank median in/keys.txt in/more.txt",
    "analyze-columns": f"analyze {CACHES} --time in/keys.txt -o {{out}}.dejap",
    "analyze-each": f"analyze {CACHES} --each thread --json in/threads.csv",
    "analyze-each-file": f"analyze {CACHES} --each file in/keys.txt in/more.txt",
    "analyze-filters": f"analyze {CACHES} --only reads --from 10 --until 400 --warm-up 50 in/ops.csv",
    "analyze-summary": f"analyze {CACHES} --summary --part 1/2 in/keys.txt -o {{out}}",
    "analyze-recording": "analyze --caches none --json in/program.deja",
    "analyze-ways": "analyze --by line --tlb --caches L1=1K/2,L2=8K/4 --json in/program.deja",
    "analyze-zip": f"analyze {CACHES} in/keys.zip",
    "analyze-gzip": f"analyze {CACHES} in/keys.txt.gz",
    "analyze-xz": f"analyze {CACHES} in/keys.txt.xz",
    "analyze-zstd": f"analyze {CACHES} in/keys.txt.zst",
    "mrc": f"mrc {CACHES} --ways 4 --simulate fifo --sizes 10,20,40 in/keys.txt",
    "mrc-error": f"mrc {CACHES} --error 5% --json in/keys.txt -o {{out}}",
    "sample-each": f"analyze {CACHES} --each thread --sample 25% --json in/threads.csv",
    "sample-bytes": f"mrc {CACHES} --sample 25% --ways 2 --json in/ops.csv -o {{out}}",
    "sample-stats": "stats --sample 25% --json in/keys.txt -o {out}",
    "sample-summary": f"analyze {CACHES} --sample 25% --summary --part 1/2 in/keys.txt -o {{out}}",
    "mrc-sample": f"mrc {CACHES} --sample 25% --json in/keys.txt -o {{out}}",
    "mrc-aet": f"mrc {CACHES} --engine aet --json in/keys.txt -o {{out}}",
    "mrc-follow": f"mrc {CACHES} --follow --until 400 --json in/keys.txt",
    "mrc-memory": f"mrc {CACHES} --memory 32M --json in/keys.txt -o {{out}}",
    "mrc-profiles": "mrc in/one.json in/two.json",
    "mrc-json": f"mrc {CACHES} --json in/one.dejap -o {{out}}",
    "stats": "stats in/keys.txt in/more.txt",
    "stats-addresses": "stats --per-address --json in/keys.txt -o {out}",
    "spatial": "spatial --blocks 8..64 in/memory.lackey",
    "spatial-json": f"spatial {CACHES} --json in/memory.lackey -o {{out}}",
    "spatial-profile": f"spatial in/spatial.json",
    "report": f"report --by all in/attributed.json",
    "report-json": "report --json in/attributed.json -o {out}",
    "report-columns": "report in/attributed.json -o {out}.dejap",
    "report-from-columns": "report --by all in/attributed.dejap",
    "report-callgrind": "report --export callgrind in/attributed.json -o {out}",
    "report-folded": "report --export folded in/attributed.json",
    "annotate": "annotate --source in in/attributed.json",
    "annotate-json": "annotate --source in --json in/attributed.json -o {out}",
    "join": f"join {CACHES} in/1.dejasum in/2.dejasum",
    "join-summary": "join --summary in/1.dejasum in/2.dejasum -o {out}",
    "join-spatial": f"join {CACHES} --json in/s1.dejasum in/s2.dejasum",
    "concurrent": "concurrent in/ops.csv in/threads.csv --speeds 2,1",
    "concurrent-threads": "concurrent --by-thread --order random --json in/threads.csv -o {out}",
    "concurrent-schedules": f"concurrent --by-thread --schedules 3 --quantum 2 {CACHES} in/threads.deja",
    "concurrent-schedules-json": "concurrent --by-thread --schedules 2 --json in/threads.csv -o {out}",
    "analyze-joint": f"analyze {CACHES} --joint --json in/keys.txt -o {{out}}",
    "co-run": "co-run --size 20 in/j1.dejap in/j2.dejap in/j3.json",
    "co-run-json": "co-run --size 20 --most 3 --speeds 1,2,3 --json in/j1.dejap in/j2.dejap in/j3.json -o {out}",
    "co-run-csv": "co-run --size 20 --separate --export csv in/j1.dejap in/j2.dejap",
    "co-run-slowdown": "co-run --size 4 --cycles 2 --penalty 9 --pair-by slowdown --json in/j1.dejap in/j2.dejap in/j1.dejap",
    "co-run-threads": "co-run --size 4 --threads 3 --cycles 2 --penalty 9 in/j1.dejap -o {out}",
    "predict": "predict --to 500 in/p1.dejap in/p2.dejap in/p4.dejap in/p8.dejap",
    "predict-json": "predict --inputs 1,2,4,8 --to 20 --sizes 10,100 --json in/p1.dejap in/p2.dejap in/p4.dejap in/p8.dejap -o {out}",
    "predict-places": "predict --inputs 1,2,3,4 --to 9 in/attributed.json in/attributed.json in/attributed.json in/attributed.json",
    "diff": "diff --by all in/attributed.json in/attributed.json",
    "predict-hills": "predict --json in/attributed.dejap -o {out}",
    "reorder-annotated": "reorder in/statements.deja",
    "convert": "convert in/program.deja -o {out}.deja",
    "convert-csv": "convert in/ops.csv --as csv -o {out}",
    "convert-text": "convert in/keys.txt --as text -o -",
    "gen": "gen zipf --keys 50 --accesses 500 -o {out}.deja",
    "gen-sharers": "gen sharers --distinct 20,10 --sharing 0.2 --distribution random,normal --accesses 50 --as csv -o {out}",
    "gen-phases": "gen phases --phases 'loop keys=10 sweeps=5; zipf keys=20 accesses=50' --as csv -o {out}",
    "info": "info --json",
    "info-text": "info formats engines",
    "help": "help analyze",
    "help-completion": "help --completion zsh",
    "version": "--version",
}


# With a limit that is crossed.
LIMITS = {
    "diff-json": "diff --by all --json --fail-if 'function: accesses > 1' in/attributed.dejap in/attributed.json -o {out}",
    "mrc-limit": f"mrc {CACHES} --fail-if 'L2.ratio <= 1' in/memory.lackey",
}

# Pages, with a small template in place of the one in the program.
VIEWS = {
    "view": "view --no-open --source in in/attributed.json -o {out}",
    "view-output": "view --no-source in/attributed.dejap -o -",
    "view-compare": "view --no-open in/attributed.dejap in/attributed.json -o {out}",
    "view-caches": "view --no-open --caches L1=4K,L2=64K in/attributed.json -o {out}",
    "view-spatial": f"view {CACHES} --no-open in/spatial.json -o {{out}}",
}
TEMPLATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "page.html")

# With attribution, and with a program: where the fault strikes, and the command.
PROGRAMS = {
    "by": ("deja", f"analyze {CACHES} --by all in/program.deja"),
    "by-json": ("deja", f"analyze {CACHES} --by all --json in/program.deja -o {{out}}"),
    "by-in-symbols": ("deja-symbols", f"analyze {CACHES} --by all in/program.deja"),
    "by-summary": ("deja", f"analyze {CACHES} --no-simulate --by all --summary in/program.deja -o {{out}}"),
    "by-spatial": ("deja", f"spatial {CACHES} --by all in/program.deja"),
    "concurrent-places": ("deja", f"concurrent --by-thread --order speeds --by all {CACHES} --json in/threads.deja -o {{out}}"),
    "concurrent-contexts": ("deja", f"concurrent --by-thread --model none --by context {CACHES} in/threads.deja"),
    "concurrent-report": ("deja", f"concurrent --by-thread --model none {CACHES} in/threads.deja"),
    "run": ("deja", f"run {CACHES} --json -o {{out}} -- in/program"),
    "run-text": ("deja", f"run {CACHES} --by none -o {{out}} -- in/program"),
    "run-sample": ("deja", f"run {CACHES} --no-simulate --sample 10% --json -o {{out}} -- in/program"),
    "run-elements": ("deja", f"run {CACHES} --elements --json -o {{out}} -- in/program"),
    "run-blocks": ("deja", f"run {CACHES} --no-simulate --sample 25% --sample-by blocks --json -o {{out}} -- in/program"),
    "run-in-symbols": ("deja-symbols", f"run {CACHES} --json -o {{out}} -- in/program"),
    "run-spatial": ("deja", f"spatial {CACHES} --json -o {{out}} -- in/program"),
    "record": ("deja", "record -o {out} -- in/program"),
    "record-annotations": ("deja", "record --statements -o {out} -- in/annotated"),
    "record-annotations-in-program": ("annotated", "record -o {out} -- in/annotated"),
    "reorder": ("deja", "reorder --json in/unoptimized.deja -o {out}"),
    "reorder-in-symbols": ("deja-symbols", "reorder in/unoptimized.deja"),
    "reorder-program": ("deja", "reorder -o {out} -- in/annotated"),
    "concurrent-program": ("deja", f"concurrent {CACHES} -o {{out}} -- in/program"),
    "concurrent-native": ("deja", f"concurrent {CACHES} --native-speeds -o {{out}} -- in/program"),
    "cc": ("deja", "cc --with in/gcc -c in/program.c"),
}
# Under Valgrind a run takes a second.
SLOW = {
    "valgrind": ("deja", f"run --tool valgrind {CACHES} --by none -o {{out}} -- in/program"),
}


def make_case(name, command, **others):
    words = [word.replace("{out}", "out") for word in shlex.split(command)]
    at = words.index("-o") + 1 if "-o" in words else 0
    outputs = (words[at],) if at and words[at] != "-" else ()
    return Case(name, words, outputs, **others)


def list_cases(deja, engines):
    cases = [make_case(name, command) for name, command in SIMPLE.items()]
    cases += [make_case(name, command, status=1) for name, command in LIMITS.items()]
    for name, command in VIEWS.items():  # a page is whole or refused
        cases.append(make_case(name, command, environment={"DEJA_VIEW_TEMPLATE": TEMPLATE}, marks=rb"(?!)"))
    for engine in engines:
        cases.append(make_case(f"engine-{engine}", f"analyze {CACHES} --engine {engine} --json in/keys.txt"))
    for name, (where, command) in PROGRAMS.items():
        cases.append(make_case(name, command, program=where, runs_program=" -- " in command or name == "cc"))
        cases[-1].may_run = command.startswith(("spatial", "concurrent", "reorder"))
        if where == "deja-symbols":  # a file that cannot be read is named
            cases[-1].marks += rb'|cannot\s+be\s+read'
        if name.startswith("record"):  # written from the start, and readable up to where it ends
            cases[-1].in_place = True
            cases[-1].view = (deja, "analyze", "--json", "--by", "function,line", "--caches", "none")
    if shutil.which("valgrind"):
        for name, (where, command) in SLOW.items():
            cases.append(make_case(name, command, program=where, runs_program=True, few=3))
    for form in FORMS:
        cases.append(make_case(f"predict-{form}", f"predict --export {form} in/p1.dejap in/p2.dejap in/p4.dejap in/p8.dejap"))
        cases.append(make_case(f"report-{form}", f"report --by all --export {form} in/attributed.json"))
        cases.append(make_case(f"mrc-{form}", f"mrc {CACHES} --export {form} in/keys.txt"))
        cases.append(make_case(f"stats-{form}", f"stats --export {form} in/keys.txt in/more.txt"))
        cases.append(make_case(f"spatial-{form}", f"spatial --export {form} in/spatial.json"))
        cases.append(make_case(f"annotate-{form}", f"annotate --source in --export {form} in/attributed.json"))
    return cases


THREADS = """#include <pthread.h>
static volatile struct { long n; } counters[2];
static void *count(void *which)
{
    for (int i = 0; i < 20; i++)
        counters[(long)which].n++;
    return 0;
}
int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], 0, count, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
"""
PROGRAM = """#include <stdlib.h>
#include <string.h>
static double table[64];
static double fill(double *a, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        a[i] = i;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < n; i++)
            sum += a[i] * table[(i * 7) & 63];
    return sum;
}
int main(void)
{
    double *a = malloc(64 * sizeof *a);
    double sum = a ? fill(a, 64) + fill(table, 64) : 0;
    free(a);
    return sum < 0;
}
"""


ANNOTATED = """#include <deja/record.h>
static double a[64];
int main(void)
{
    dj_record_data(a, sizeof a, sizeof a[0], "a");
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 64; i++) {
            dj_record_statement();
            dj_record_read(a, &a[i * 7 % 64]);
            dj_record_modify(a, &a[i]);
        }
    return 0;
}
"""
UNOPTIMIZED = """double a[64], b[64];
int main(void)
{
    for (int i = 0; i < 64; i++)
        a[i] = i;
    for (int i = 0; i < 64; i++)
        b[i] = a[i];
    return 0;
}
"""
INCLUDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "include")


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def write_traces(folder):
    keys = [(i * i * 7 + i // 3) % 61 for i in range(600)]
    text = "".join(f"{key}\n" for key in keys)
    write("keys.txt", text)
    write("more.txt", "".join(f"{key * 3 % 50}\n" for key in keys))
    write("ops.csv", "time,key,op\n" + "".join(f"{i},{k},{'RW'[k % 3 == 0]}\n" for i, k in enumerate(keys)))
    write("threads.csv", "key,thread\n" + "".join(f"{k},{i // 5 % 3}\n" for i, k in enumerate(keys)))
    write("memory.lackey", "".join(f" {'LS'[k % 2]} {0x1000 + 8 * k:08x},8\n" for k in keys))
    with gzip.open("keys.txt.gz", "wt") as file:
        file.write(text)
    with lzma.open("keys.txt.xz", "wt") as file:
        file.write(text)
    with zipfile.ZipFile("keys.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("keys.txt", text)


def write_zstd(source, target):
    """One frame of uncompressed blocks: not every machine has the program zstd."""
    with open(source, "rb") as file:
        data = file.read()
    most = 1 << 16
    blocks = [data[i:i + most] for i in range(0, len(data), most)]
    with open(target, "wb") as file:
        file.write(b"\x28\xb5\x2f\xfd\xa0" + len(data).to_bytes(4, "little"))
        for i, block in enumerate(blocks):
            file.write((len(block) << 3 | (i == len(blocks) - 1)).to_bytes(3, "little") + block)


def make_inputs(folder, deja):
    """Writes all inputs into a folder."""
    os.makedirs(folder)
    home = os.getcwd()
    os.chdir(folder)

    def run(command):
        subprocess.run([deja, *shlex.split(command)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    write_traces(folder)
    write("program.c", PROGRAM)
    write("gcc", "#!/bin/sh\necho \"$@\"\n")
    os.chmod("gcc", 0o755)
    write_zstd("keys.txt", "keys.txt.zst")
    run("cc -O1 -g program.c -o program")
    run("record -o program.deja -- ./program")
    write("annotated.c", ANNOTATED)
    subprocess.run(["cc", "-O1", "-g", "-I", INCLUDE, "annotated.c", "-o", "annotated"], check=True)
    run("record --statements -o statements.deja -- ./annotated")
    write("unoptimized.c", UNOPTIMIZED)
    run("cc -O0 -g unoptimized.c -o unoptimized")
    run("record --statements -o unoptimized.deja -- ./unoptimized")
    write("threads.c", THREADS)
    run("cc -O1 -g -pthread threads.c -o threads")
    run("record -o threads.deja -- ./threads")
    run(f"analyze {CACHES} --by all --json program.deja -o attributed.json")
    run(f"analyze {CACHES} --by all program.deja -o attributed.dejap")
    for number, trace in ((1, "keys"), (2, "more")):
        run(f"analyze --summary --part {number}/2 {trace}.txt -o {number}.dejasum")
        run(f"spatial --summary --part {number}/2 memory.lackey -o s{number}.dejasum")
    run(f"analyze {CACHES} --json keys.txt -o one.json")
    run(f"analyze {CACHES} --json more.txt -o two.json")
    run(f"analyze {CACHES} keys.txt -o one.dejap")
    run(f"spatial {CACHES} --json memory.lackey -o spatial.json")
    for target, trace in (("j1.dejap", "keys"), ("j2.dejap", "more"), ("j3.json", "keys")):
        run(f"analyze --joint {trace}.txt {'--json' if target.endswith('json') else ''} -o {target}")
    for scale in (1, 2, 4, 8):
        run(f"gen loop --keys {10 * scale} --sweeps 4 -o loop.u64le")
        run(f"analyze loop.u64le -b 1 -o p{scale}.dejap")
    os.chdir(home)
