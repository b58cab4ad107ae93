# SPDX-License-Identifier: MIT
"""Synchronization as events: with them, everything that a program without races shares is ordered, and
without those of one object it is not."""
from build import deja, finish, has, same, scratch, write
from happened import ACQUIRE, RELEASE, WRITES, races, read, touched, waits, without, without_threads
from stream import build, check

TURNS = ("mutex", "mutex_try", "mutex_timed", "mutex_clock", "spin", "spin_try", "write", "write_try", "write_timed",
         "write_clock", "semaphore", "semaphore_try", "semaphore_timed", "semaphore_clock", "mtx", "mtx_try",
         "mtx_timed", "wait", "timedwait", "clockwait", "cnd_wait", "cnd_timedwait")
WAITS = TURNS[-5:]
OTHERS = ("barrier", "read", "once", "call_once")
JOINS = ("join", "join_try", "join_timed", "join_clock", "thrd_join")


def record(program, *arguments):
    path = scratch("edges.dj")
    ran = deja("record", "-o", path, "--", program, *arguments)
    same(ran.returncode, 0, f"status of {program} {arguments}: {ran.stderr.decode()[-500:]}")
    return [int(word, base) for word, base in zip(ran.stdout.split(), (16, 10, 16, 10))], read(path)


def check_way(way, what, items, cells, size, at, length):
    check(len(touched(items, cells, size)) > 1, f"{what}: nothing is shared")
    same(races(items, cells, size)[:5], [], f"{what}: races")
    if way in WAITS:  # a condition has its own order beside that of the mutex
        at, length = 0, 1 << 64
    if way not in JOINS:
        check(races(without(items, at, length), cells, size), f"{what}: ordered even without the object")
    for bits in (ACQUIRE, RELEASE):
        for own in (False, True):
            check(way not in JOINS or races(without_threads(items, bits, own), cells, size),
                  f"{what}: ordered even without {bits} {own}")
    if way == "barrier":  # nobody waits for an arrival at the next barrier
        generations = [len(released) for _, _, released in waits(items, at, length)]
        same(len(generations), 2 * 4 * 60, f"{what}: passages")
        same([n for n in generations if n == 0 or n % 4], [], f"{what}: incomplete generations")
    if way == "read":  # readers do not wait for each other
        writer = touched(items, cells, size, WRITES)
        same({thread for _, lock, released in waits(items, at, 1) for thread in released}, writer, f"{what}: writers")


PROGRAMS = (("edges", (), "gcc", 2), ("edges_clang", (), "clang", 1), ("edges_static", ("-static",), "gcc", 1))
for name, flags, compiler, times in PROGRAMS:
    if not has(compiler):
        continue
    program = build("edges.c", "-O1", "-pthread", *flags, output=name, compiler=compiler)
    for way in (TURNS + OTHERS + JOINS) * times:
        (cells, size, at, length), items = record(program, way)
        check_way(way, f"{name} {way}", items, cells, size, at, length)

for compiler, flags in (("g++", ()), ("clang++", ()), ("g++", ("-static",))):
    if not has(compiler):
        continue
    program = build("guards.cpp", "-O1", "-pthread", *flags, output="guards", compiler=compiler)
    (cells, size), items = record(program)
    what = f"{compiler} {flags} guards"
    same(races(items, cells, size, values=True)[:5], [], f"{what}: races")
    for begin, length in ((cells, 24), (cells + 24, 8)):
        check(races(without(items, 0, 1 << 64), begin, length), f"{what}: ordered even without events")

# A program without threads has none of these events.
alone = write("alone.c", "#include <pthread.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nlong n;\n"
              "int main(void) { pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m); return 0; }\n")
_, items = record(build(alone, "-O1", "-pthread", output="alone"))
check(any(item[0] == "access" for item in items), "a program with one thread has no accesses")
same([item for item in items if item[0] == "sync"], [], "events of a program with one thread")
finish()
