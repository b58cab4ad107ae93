# SPDX-License-Identifier: MIT
"""Compares the output that a page shows with real output, and brings the page up to date."""
import difflib
import re

NUMBER = re.compile(r"[≈<-]?\.?\d[\d,.]*(k|M|G|%|\b)?")


def masked(text):
    """The text without its numbers and line breaks, both of which vary between machines."""
    return " ".join(NUMBER.sub("#", text).split())


def segments(shown):
    """Runs of shown lines between lines that hold nothing but an ellipsis."""
    runs = [[]]
    for line in shown:
        if line.strip() == "…":
            runs.append([])
        else:
            runs[-1].append(line)
    return runs


def difference(shown, real, numbers_vary):
    """Returns the first lines shown that the real output lacks, as text; empty if there are none."""
    if "…" not in [line.strip() for line in shown] and not numbers_vary:
        return "".join(difflib.unified_diff([f"{line}\n" for line in shown], [f"{line}\n" for line in real], "page", "real"))
    form = masked if numbers_vary else str
    rest = form("\n".join(real) + "\n")
    for run in segments(shown):
        wanted = form("\n".join(run))
        at = rest.find(wanted)
        if at < 0:
            first = next(n for n in range(1, len(run) + 1) if form("\n".join(run[:n])) not in rest)
            likely = real[nearest(run[first - 1], real, 0, 0)] if real else ""
            return f"the output lacks:     {run[first - 1]}\nit may correspond to: {likely}\n"
        rest = rest[at + len(wanted):]
    return ""


def likeness(a, b):
    """2 for equal lines; lines that differ in their numbers alone come near to that."""
    return sum(difflib.SequenceMatcher(None, form(a), form(b), autojunk=False).ratio() for form in (str, masked))


def nearest(line, lines, first, expected):
    """Where from `first` on the line is that most resembles `line`; of several, the one nearest to `expected`."""
    return max(range(first, len(lines)), key=lambda i: (round(likeness(line, lines[i]), 2), -abs(i - expected)), default=first)


def refreshed(shown, real):
    """The lines to show: of each run between ellipses, the part of the real output that resembles it most."""
    runs, lines, first = segments(shown), [], 0
    if len(runs) == 1:
        return real
    for number, run in enumerate(runs):
        if number:
            lines.append("…")
        body = [line for line in run if line]
        if not body:
            continue
        begin = 0 if number == 0 else nearest(body[0], real, first, first)
        end = nearest(body[-1], real, begin, begin + len(run) - 1)
        while body[-1].endswith(".") and not real[end].endswith(".") and end + 1 < len(real) and real[end + 1]:
            end += 1  # a sentence that ends on a later line now
        while end + 1 < len(real) and run[-1] == "" and real[end + 1] == "":
            end += 1
        lines += real[begin:end + 1]
        first = end + 1
    return lines
