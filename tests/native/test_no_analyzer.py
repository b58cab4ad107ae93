# SPDX-License-Identifier: MIT
"""A program behaves the same without an analyzer, without space for rings, and if the analyzer dies."""
import os
import subprocess
import time

from rings import environment, folder, reports
from stream import READER, build, check, finish, same, scratch

program = build("endings.c", "-O1", "-pthread")


def quiet(env, *arguments, status=0):
    ran = subprocess.run([program, *arguments], env=env, capture_output=True, timeout=100)
    same((ran.returncode, ran.stdout, ran.stderr), (status, b"", b""), f"{arguments} with {env.get('DEJA_RING')}")


plain = {key: value for key, value in os.environ.items() if key != "DEJA_RING"}
quiet(plain, "return", "100000", "3", status=3)
quiet({}, "return", "100000", "3", status=3)
for odd in ("", ":", "x", "/tmp", "/tmp:", ":1", "/nonexistent:1", "/dev/null:1", "/tmp:1x", "/tmp:0", "/tmp:4294967295",
            "/tmp:99999999999999999999", "/" + "y" * 5000 + ":1"):
    quiet(dict(plain, DEJA_RING=odd), "return", "100000", "3", status=3)

# Nobody reads the ring, and the analyzer that it names has ended: its number is free, or it is not yet reaped.
# No process can get the numbers, so that none of them is taken for the analyzer.
with open("/proc/sys/kernel/pid_max") as file:
    free = int(file.read()) + 1
ended = subprocess.Popen(["true"])
os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
for analyzer in (free, ended.pid):
    path = folder()
    quiet(environment(path, analyzer), "return", "3000000", "2", status=2)
    same(len(os.listdir(path)), 1, "files if nobody reads")

# Exceeding the file size limit would raise a signal.
ran = subprocess.run(["bash", "-c", f"ulimit -f 1000; exec '{program}' return 100000 4"],
                     env=environment(folder(), free))
same(ran.returncode, 4, "status with a file size limit")

# The reader is killed while the program runs.
path = folder()
traced = f"touch '{scratch('begun')}'; '{program}' return 30000000 5; echo $? > '{scratch('done')}'"
analyzer = 'DEJA_RING=$1:$$ exec "$2" "$1" --slow bash -c "$3"'  # the reader is the analyzer that the ring names
reader = subprocess.Popen(["bash", "-c", analyzer, "analyzer", path, READER, traced], env=plain)
while not os.path.exists(scratch("begun")) and reader.poll() is None:
    time.sleep(0.05)
time.sleep(0.5)
check(not os.path.exists(scratch("done")), "the program ended before the reader was killed")
reader.kill()
for _ in range(300):
    if os.path.exists(scratch("done")) and os.path.getsize(scratch("done")):
        break
    time.sleep(0.1)
else:
    check(False, "the program waits for a killed reader")
if os.path.exists(scratch("done")):
    same(open(scratch("done")).read(), "5\n", "status if the reader was killed")
reader.wait()


def run_with_small_tmpfs(kibibytes):
    """Runs the program with rings on a file system of this size; None if it cannot be mounted."""
    path = folder("small")
    script = (f"mount -t tmpfs -o size={kibibytes}k none '{path}' || exit 88; "
              f"'{READER}' '{path}' '{program}' return 300000 6; cp '{path}/report' '{scratch('small.report')}'")
    ran = subprocess.run(["unshare", "-rm", "bash", "-c", script], env=environment(path, os.getpid()),
                         capture_output=True, timeout=100)
    if ran.returncode != 0:
        return None
    os.makedirs(scratch("copied"), exist_ok=True)
    os.replace(scratch("small.report"), os.path.join(scratch("copied"), "report"))
    return reports(scratch("copied"))


for kibibytes, expected in ((8, 0), (100, 0), (600, 1), (100000, 1)):
    found = run_with_small_tmpfs(kibibytes)
    if not found:
        print("left out: no small file system can be mounted here")
        break
    rings, status = found
    same((status, len(rings)), (6 << 8, expected), f"a program with {kibibytes} KiB for rings")
    if rings:
        check(rings[0]["writes"] >= 300000 and not rings[0]["error"], f"a ring of {kibibytes} KiB: {rings[0]}")
finish()
