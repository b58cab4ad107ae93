# SPDX-License-Identifier: MIT
"""Threads that count in one cache line, and in a line each: false sharing by object, field and line."""
from live import check, deja, finish, load, marks, need, program, same, scratch

need("valgrind")
THREADS, ROUNDS = 4, 1000
lines = marks("../../examples/counters.c")


def measure(*arguments):
    """The profile of the threads in lockstep, and the report."""
    recording, path = scratch("counters.deja"), scratch("counters.json")
    ran = deja("record", "-o", recording, "--", program("counters"), *arguments)
    same(ran.returncode, 0, f"status of deja record ({ran.stderr.decode()[-500:]})")
    same(ran.stdout, f"{THREADS * ROUNDS} words\n".encode(), "output")
    common = ["--by-thread", "--order", "speeds", "--caches", "L1=32K,L2=1M", "--model", "none", recording]
    ran = deja("concurrent", "--json", "-o", path, *common)
    same(ran.returncode, 0, f"status of deja concurrent ({ran.stderr.decode()[-500:]})")
    return load(path), deja("concurrent", *common).stdout.decode()


def worst(profile, kind):
    return max(profile[kind], key=lambda row: row["sharing"]["false_sharing"])


packed, report = measure()
worst_object, worst_line = worst(packed, "objects"), worst(packed, "lines")
same(worst_object["name"], "counters", "the object with the most false sharing")
same(worst_line["line"], lines["packed"], "the line with the most false sharing")
same(worst_object["shared_blocks"], 1, "shared blocks of the counters")
counts = worst_object["sharing"]
# The last of the threads to store in a round takes the line from all others, so at least one access of each
# of the others' increments misses.
least = (THREADS - 1) * ROUNDS * 9 // 10
check(counts["false_sharing"] >= least, f"{counts['false_sharing']} misses are fewer than {least}")
check(counts["true_sharing"] <= 2 * THREADS, f"{counts['true_sharing']} misses are true sharing")
first = packed["false_sharing"][0]
same((first["missed"], first["written"]), ("counters[*].words",) * 2, "the fields that share a line")
same((first["missed_line"], first["written_line"]), (lines["packed"],) * 2, "the lines on both sides")
check(first["misses"] >= least and first["sharers"] == THREADS, f"{first}")
check("padded and aligned to 64 bytes" in first["text"], first["text"])
check(any(f" writes counters[{i}].words, and thread" in first["text"] for i in range(THREADS)), first["text"])
check("1. counters[*].words" in report, "the report does not begin with the counters")
for kind in ("objects", "lines", "functions", "threads"):  # every breakdown has the same sums
    for name in ("broken", "true_sharing", "false_sharing"):
        same(sum(row["sharing"][name] for row in packed[kind] if "sharing" in row),
             sum(sharer[name] for sharer in packed["sharers"]), f"{name} of all {kind}")

# Valgrind may run one thread after the other. Schedules let them overlap nevertheless, since no thread waits
# for another one's end: the words in which the C library counts threads order nothing.
for attempt in range(2):
    path = scratch("scheduled.json")
    ran = deja("concurrent", "--schedules", "2", "--caches", "L1=32K,L2=1M", "--model", "none", "--json", "-o", path, "--",
               program("counters"))
    same(ran.returncode, 0, f"status of deja concurrent ({ran.stderr.decode()[-500:]})")
    scheduled = load(path)
    same([sharer["thread"] for sharer in scheduled["sharers"]], [1, 2, 3, 4, 5], "threads in order")
    first = (scheduled["false_sharing"] or [{}])[0]
    same(first.get("missed"), "counters[*].words", f"attempt {attempt}: false sharing in schedules")
    check(first["misses"] >= THREADS * ROUNDS // 100, f"attempt {attempt}: {first['misses']} misses")

padded, report = measure("padded")
rows = {row["name"]: row for row in padded["objects"]}
same(rows["padded"]["accesses"] >= 2 * THREADS * ROUNDS, True, "accesses to the padded counters")
same(rows["padded"]["sharing"]["false_sharing"], 0, "false sharing of padded counters")
check("padded" not in [row["missed"].split("[")[0] for row in padded["false_sharing"]], "padded counters are listed")
finish()
