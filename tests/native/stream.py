# SPDX-License-Identifier: MIT
"""Builds programs of this folder with `deja cc` and reads the records that they write,
without the rest of Deja. Extends build.py."""
import os
import shutil
import subprocess

from build import PROGRAMS, check, deja, finish, has, profile_of, same, scratch  # noqa: F401

HERE = os.path.dirname(os.path.abspath(__file__))
READER = os.path.join(PROGRAMS, "..", "ring_reader")

READ, WRITE, MODIFY = range(3)
ENTRY, EXIT, PASS = 0xA0, 0xA1, 0xA2
MODULE, THREAD, REGION, THREAD_NAME = 3, 4, 9, 12
ALLOC, FREE, RANGE, COPY, DATA, STATEMENT = range(15, 21)
BURST, STACK = 22, 23


def build(source, *flags, output=None, compiler="gcc"):
    """Builds a program or plugin; returns its path."""
    path = scratch(output or os.path.splitext(source)[0])
    language = {".c": "cc", ".cpp": "c++"}[os.path.splitext(source)[1]]
    ran = deja(language, "--with", compiler, "-g", "-D_GNU_SOURCE", *flags, "-o", path,
               os.path.join(HERE, source))
    if not check(ran.returncode == 0, f"{compiler} on {source} {flags}: {ran.stderr.decode()[-2000:]}"):
        finish()
    return path


class Record:
    """An access (kind, bytes, address), an entry or exit (type, address), or
    another record (type, id, words), each with its thread and, if present, its pc."""
    __slots__ = ("type", "kind", "bytes", "pc", "address", "id", "words", "text", "thread")


def parse(line, thread):
    words = line.split(" ")
    r = Record()
    r.thread, r.type, r.kind, r.pc, r.address, r.text = thread, int(words[0]), None, None, None, ""
    if r.type >= 0x80:
        r.pc, r.address = int(words[1], 16), int(words[2], 16)
        if r.type < ENTRY:
            r.kind, r.bytes = r.type >> 3 & 3, 1 << (r.type & 7)
        return r
    r.id, r.words = int(words[1]), words[2:]
    if r.type == MODULE:
        r.words, r.text = words[2:4], " ".join(words[4:]).rstrip("\0")
    if r.type in (MODULE, THREAD, ALLOC, FREE, RANGE, COPY):
        r.words = [int(word, 16) for word in r.words]
    return r


def folder(name="rings"):
    """Creates an empty folder for rings."""
    path = scratch(name)
    shutil.rmtree(path, ignore_errors=True)
    os.mkdir(path)
    return path


def environment(path, analyzer=None, suffix=""):
    return dict(os.environ, DEJA_RING=f"{path}:{analyzer or os.getpid()}{suffix}")


def stream(*command, status=0, sample=None):
    """Returns the output of a program and its records in order. All must be well formed.
    `sample` is a rate in millionths and a seed."""
    rings = folder()
    # Keep the outputs of the program and of the reader separate.
    inner = ["sh", "-c", 'out=$1; shift; exec "$@" > "$out"', "sh", scratch("out"), *command]
    with open(scratch("dump"), "wb") as dump:
        ran = subprocess.run([READER, rings, "--dump", *inner], stdout=dump, stderr=subprocess.PIPE, timeout=200,
                             env=dict(environment(rings), **({"DEJA_SAMPLE": "%d:%d" % sample} if sample else {})))
    with open(os.path.join(rings, "report")) as file:
        report = file.read()
    check("ERROR" not in report, f"{command}: {report}")
    check(f"status {status} " in report, f"{command} does not exit with status {status}: {report}")
    records, thread = [], None
    with open(scratch("dump"), errors="replace") as dump:
        for line in dump:
            r = parse(line[:-1], thread)
            if r.type == THREAD:
                thread = r.id
            r.thread = thread
            records.append(r)
    with open(scratch("out")) as file:
        return file.read(), records


def accesses(records, address, bytes=8, kinds=(READ, WRITE, MODIFY)):
    """The accesses to `bytes` bytes at `address`."""
    return [r for r in records
            if r.kind is not None and address <= r.address < address + bytes and r.kind in kinds]
