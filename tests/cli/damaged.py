# SPDX-License-Identifier: MIT
"""Damages files of every kind and checks what deja says: damaged.py DEJA SOURCES FOLDER"""
import gzip
import lzma
import os
import random
import re
import subprocess
import sys
import zipfile

deja, sources, folder = map(os.path.abspath, sys.argv[1:4])
corpus = os.path.join(sources, "tests/fuzz/corpus")
random.seed(16)
os.chdir(folder)
wrong = []
refused = {}


def run(*arguments):
    return subprocess.run([deja, *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=False)


def damage(data):
    """Cuts, changes, inserts, removes or repeats some bytes."""
    at = random.randrange(len(data))
    some = random.randrange(1, 9)
    noise = bytes(random.choice((0, 0xff, 0x0a, 0x2c, 0x20, random.randrange(256))) for _ in range(some))
    return random.choice((
        lambda: data[:at],
        lambda: data[:at] + noise + data[at + some:],
        lambda: data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1:],
        lambda: data[:at] + noise + data[at:],
        lambda: data[:at] + data[at + some:],
        lambda: data[:at] + data[at:at + 64] * 2 + data[at + 64:],
    ))()


# The name of the file, then a line, a byte, an access, a member of an archive, or the lack of any content that has a place.
PLACE = r":\d+( \(byte \d+( of the decompressed data)?\))?: |: byte \d+( of the (de)?compressed data)?[:,] |: zip archive, member |: access \d+: "
WHOLE = r": (no accesses in the trace|not a profile saved by|is a directory)"


def check(kind, name, ran):
    said = ran.stderr.decode(errors="replace")
    if ran.returncode == 0:
        return
    refused[kind] = refused.get(kind, 0) + 1
    message = re.match(rf"deja: (?:{re.escape(name)})(?:{PLACE}|{WHOLE})(.*)", said, re.S)
    if ran.returncode not in (2, 3) or not message or len(message[0]) < len(name) + 20:
        wrong.append(f"{kind}: status {ran.returncode}: {said[-300:]}")


def try_kind(kind, samples, name, command, times):
    for _ in range(times):
        with open(name, "wb") as file:
            file.write(damage(random.choice(samples)))
        check(kind, name, run(*command, name))


def files(directory, chosen=lambda data: True):
    out = []
    for name in sorted(os.listdir(directory)):
        with open(os.path.join(directory, name), "rb") as file:
            data = file.read()
        if len(data) > 8 and chosen(data):
            out.append(data)
    return out


def plain(name):
    return re.sub("[-_]", "", name).lower()


listed = run("info", "formats").stdout.decode()
formats = {plain(name): name for name in re.findall(r"^\s*([A-Za-z0-9_-]+)\s", listed, re.M)}
read = {}
for entry in sorted(os.listdir(corpus)):
    if entry.startswith("reader_"):
        kind = formats[plain(entry[len("reader_"):])]
        read[kind] = files(os.path.join(corpus, entry))
        if not read[kind]:
            sys.exit(f"no sample of {kind}")
        try_kind(kind, read[kind], "trace." + plain(kind), ("analyze", "--format", kind), 12)

text = b"".join(b" L %x,8\n S %x,4\n" % (64 * i, 8 * i) for i in range(2000))
try_kind("gzip", [gzip.compress(text)], "trace.gz", ("analyze", "--format", "lackey"), 16)
try_kind("xz", [lzma.compress(text)], "trace.xz", ("analyze", "--format", "lackey"), 16)
with zipfile.ZipFile("sample", "w", zipfile.ZIP_DEFLATED) as archive:
    archive.writestr("a", text)
with open("sample", "rb") as file:
    try_kind("zip", [file.read()], "trace.zip", ("analyze", "--format", "lackey"), 16)
# Damaged before compression: the offset is one of the decompressed data.
for _ in range(16):
    with gzip.open("inner.gz", "wb") as file:
        file.write(damage(text))
    ran = run("analyze", "--format", "lackey", "inner.gz")
    check("inside gzip", "inner.gz", ran)
    if ran.returncode and b"of the decompressed data" not in ran.stderr:
        wrong.append(f"inside gzip: {ran.stderr.decode()}")

columns = b"\x89DJP\r\n"
profiles = os.path.join(corpus, "profile")
whole = files(profiles, lambda data: b'"deja-profile"' in data[:200])
try_kind("profile", whole, "profile.json", ("report",), 48)
try_kind("profile in columns", files(profiles, lambda data: data.startswith(columns)), "profile.dejap", ("report",), 32)
try_kind("summary", files(os.path.join(corpus, "summary"), lambda data: data.startswith(b"\x89DSUM")), "part.dejasum",
         ("join",), 32)

# What a random change hardly finds: values that contradict each other.
for old, new in ((b'"site": 0', b'"site": 4294967294'), (b'"object": 0', b'"object": 99999'),
                 (b'"accesses": ', b'"accesses": 1'), (b'"count": 1', b'"count": 18446744073709551615')):
    for sample in whole:
        if old in sample:
            with open("changed.json", "wb") as file:
                file.write(sample.replace(old, new))
            check("contradiction", "changed.json", run("report", "changed.json"))

few = [kind for kind in (*read, "gzip", "xz", "zip", "inside gzip", "profile", "profile in columns", "summary",
                         "contradiction") if refused.get(kind, 0) < 2 and not kind.startswith("u")]
if few:
    wrong.append(f"hardly anything was refused of: {', '.join(few)}")
for line in wrong:
    print(line)
print(f"{sum(refused.values())} damaged files were refused, {len(wrong)} wrongly")
sys.exit(1 if wrong else 0)
