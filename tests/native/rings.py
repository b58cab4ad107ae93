# SPDX-License-Identifier: MIT
"""Runs programs with ring_reader and returns its counts, ring by ring. Extends stream.py."""
import os
import re
import subprocess

from stream import READER, environment, folder


def reports(path):
    """A dictionary per ring, in the order of discovery, and the wait status of the command."""
    rings, status = [], None
    with open(os.path.join(path, "report"), errors="replace") as file:
        for line in file:
            if line.startswith("status "):
                status = int(line.split()[1])
                continue
            ring = {key: int(value) for key, value in re.findall(r" (\w+)=(\d+)", line)}
            _, ring["pid"], ring["image"] = (int(part) if part.isdigit() else part
                                             for part in line.split(" ")[0].split("."))
            ring["error"] = line[line.index("ERROR"):] if "ERROR" in line else None
            rings.append(ring)
    return rings, status


def read(*command, mode=None, path=None, suffix=""):
    """The rings of a command and its wait status; discards its output."""
    path = path or folder()
    subprocess.run([READER, path, *([mode] if mode else []), *command], stdout=subprocess.DEVNULL,
                   timeout=200, env=environment(path, suffix=suffix))
    return reports(path)
