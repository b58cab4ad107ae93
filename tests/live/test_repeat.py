# SPDX-License-Identifier: MIT
"""Two runs of a program agree to the access, also if its environment has another size."""
import json
import os

from live import NATIVE, check, deja, finish, leave_out, load, native, need, program, same, scratch

need("valgrind")
start = program("start")
FIXED = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0", "HOME": "/", "WORD": "w"}
LENGTHS = (20, 0, 3000)  # of a variable that no program reads


def run(words, length, folder=None):
    """The profile, and what the program prints."""
    path = scratch("repeat.json")
    ran = deja("run", "--json", "-o", path, "--", *words, env=dict(FIXED, FILL="f" * length), cwd=folder)
    same(ran.returncode, 0, f"status of {words} ({ran.stderr.decode()[-300:]})")
    return load(path), ran.stdout


def comparable(profile):
    """Without what names the run: the process, and the command. And without what depends on where a string is, since a
    long one is elsewhere than a short one: sketches, from which the blocks of code are estimated, and the steps between
    misses."""
    profile.pop("process")
    profile["provenance"].pop("command")
    sketches = []
    for table, column in (("contexts", 6), ("sites", 7)):
        for row in profile["attribution"][table]:
            sketches.append(row[column])
            row[column] = None
    for place in profile["attribution"]["places"]:
        sketches.append(place[9:])
        del place[9:]
    return json.dumps(profile, sort_keys=True), sketches


def agree(words, lengths, folder=None):
    first = run(words, lengths[0], folder)[0]
    check(first["accesses"] > 1000, f"{words}: {first['accesses']} accesses")
    first = comparable(first)
    for length in lengths[1:]:
        again = comparable(run(words, length, folder)[0])
        what = f"{words}: {length} instead of {lengths[0]} bytes of environment change"
        check(again[0] == first[0], f"{what} the profile")
        check(again[1] == first[1] or length > 55 or lengths[0] > 55, f"{what} the blocks of code or the classes of misses")


# Where the stack begins, and that the program sees the same words as without deja.
places = set()
for words in ([start], [start, "b" * 70, "c" * 2000] + ["d"] * 300):
    for length in (0, 3000):
        seen = run(words, length)[1].decode().splitlines()
        expected = native(*words, env=dict(FIXED, FILL="f" * length)).stdout.decode().splitlines()
        own = [line for line in seen[1:] if not line.startswith(("LD_PRELOAD=", "DEJA_RING="))]
        same(own, expected[1:], f"what {words[:3]} sees")
        check(len(seen) - 1 - len(own) <= 1, f"variables of deja: {set(seen) - set(own)}")
        places.add(seen[0])
same(len(places), 1, f"places where the stack begins ({places})")
# More than one stack start has room for: it is still right, and repeats itself.
words = [start] + [str(n) for n in range(20000)]
same(run(words, 5)[1].decode().splitlines()[3:20004], words[1:] + ["PATH=" + FIXED["PATH"]], "20,000 arguments")

agree([start, "quietly"], LENGTHS)
agree([program("objects")], LENGTHS[:2])
if not NATIVE:
    text = scratch("text")
    with open(text, "w") as file:
        file.write("".join(f"{n * n}\n" for n in range(3000)))
    agree(["gzip", "-c", text], LENGTHS[:2])
    if os.path.exists("/usr/bin/python3"):
        folder = scratch("empty")
        os.mkdir(folder)
        agree(["/usr/bin/python3", "-S", "-c", "print(len({str(i): i for i in range(300)}))"], (20, 20), folder)  # it copies its environment
    else:
        leave_out("/usr/bin/python3 is not installed; the package python3 has it")
finish()
