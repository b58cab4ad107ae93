# SPDX-License-Identifier: MIT
"""Fails the Nth call of each kind in each verb, and checks how the command ends.

    run.py DEJA SHIM [CASE...] [--every N] [--beyond N] [--sample N] [--seed S] [--kind KIND]
        [--seconds S] [--list] [--keep]

Every N-th call up to --every is failed, and --beyond more that the seed chooses. With --sample only that many
per case, kind and mode. The status is 1 if any trial ended wrong.
"""
import argparse
import collections
import json
import multiprocessing
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

import cases
import trial

WORTHS = ("right", "partial", "refused", "known", "WRONG")


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("deja", type=os.path.abspath)
    parser.add_argument("shim", type=os.path.abspath)
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--every", type=int, default=120, help="fail every call up to this one")
    parser.add_argument("--beyond", type=int, default=20, help="and this many later ones")
    parser.add_argument("--sample", type=int, default=0, help="fail only this many calls per case, kind and mode")
    parser.add_argument("--seed", type=int, default=1, help="chooses the sample")
    parser.add_argument("--seconds", type=float, default=0, help="stop after so long; the trials are then shuffled")
    parser.add_argument("--kind", action="append", choices=trial.KINDS)
    parser.add_argument("--list", action="store_true", help="list the cases")
    parser.add_argument("--keep", action="store_true", help="keep the folder, to repeat trials")
    return parser.parse_args()


def choose(random_numbers, calls, few, arguments):
    """The calls to fail, of so many."""
    sample = min(few or arguments.sample, arguments.sample or few)
    if sample:
        return sorted(random_numbers.sample(range(1, calls + 1), min(sample, calls)))
    first = list(range(1, min(calls, arguments.every) + 1))
    later = range(arguments.every + 1, calls + 1)
    return first + sorted(random_numbers.sample(later, min(len(later), arguments.beyond)))


def set_up(folder, inputs, deja, shim):
    global place
    trial.fix_addresses()
    place = trial.Place(os.path.join(folder, f"worker-{os.getpid()}"), inputs, deja, shim)


def find_reference(case):
    """The result without a fault, and how many calls there are; the runs must agree."""
    first, second = (place.run(case, None, old) for old in (False, True))
    worth, why = trial.judge(case, "write:short:0", first, second, True)
    return (case, first, second.calls) if worth == "right" else (case, None, why)


def try_fault(task):
    case, fault, reference = task
    old = int(fault.split(":")[2]) % 2 == 0
    end = place.run(case, fault, old)
    worth, why = trial.judge(case, fault, reference, end, old)
    return case.name, fault, worth if end.failed or worth == "WRONG" else "unreached", why, place.command(case, fault)


def list_engines(deja):
    listed = json.loads(subprocess.run([deja, "info", "engines", "--json"], capture_output=True, check=True).stdout)
    return [engine["name"] for engine in listed["engines"] if not engine.get("needs_gpu")]


def print_table(table, faults):
    print(f"\n{'case':24} {'kind':9} {'trials':>7} " + " ".join(f"{worth:>8}" for worth in WORTHS))
    total = collections.Counter()
    for (case, kind), worths in sorted(table.items()):
        print(f"{case:24} {kind:9} {sum(worths[w] for w in WORTHS):7} " + " ".join(f"{worths[w]:8}" for w in WORTHS))
        total.update(worths)
    print(f"{'all':24} {'':9} {sum(total[w] for w in WORTHS):7} " + " ".join(f"{total[w]:8}" for w in WORTHS))
    if total["unreached"]:
        print(f"{total['unreached']} more trials ended before the call that was to fail")
    print_faults(faults)


def print_faults(faults):
    """Trials of a case that ended wrong in the same way are one entry, with the command of the first."""
    groups = collections.defaultdict(list)
    for case, fault, why, command in faults:
        kind, mode, number = fault.split(":")
        groups[case, kind, mode, why].append((int(number), command))
    for (case, kind, mode, why), found in sorted(groups.items()):
        found.sort()
        print(f"WRONG {case} {kind}:{mode}:{ranges([number for number, _ in found])}: {why}\n    {found[0][1]}")


def ranges(numbers):
    parts = []
    for number in numbers:
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in parts)


def plan(references, arguments):
    tasks, bad = [], []
    for case, reference, calls in references:
        if not reference:
            bad.append(f"{case.name}: two runs without a fault differ: {calls}")
            continue
        if reference.status != case.status:
            bad.append(f"{case.name}: status {reference.status} without a fault: {reference.streams[1].decode()}")
            continue
        for kind, count in zip(trial.KINDS, calls):
            if arguments.kind and kind not in arguments.kind:
                continue
            for mode in trial.MODES[kind]:
                numbers = random.Random(f"{arguments.seed} {case.name} {kind} {mode}")
                tasks += [(case, f"{kind}:{mode}:{n}", reference) for n in choose(numbers, count, case.few, arguments)]
    return tasks, bad


def main():
    arguments = parse_arguments()
    listed = cases.list_cases(arguments.deja, list_engines(arguments.deja))
    wanted = [case for case in listed if not arguments.cases or
              any(case.name == name or case.name.startswith(name + "-") for name in arguments.cases)]
    if arguments.list:
        print("\n".join(case.name for case in wanted))
        return 0
    if not wanted:
        print(f"no such case; there are {' '.join(case.name for case in listed)}")
        return 2
    folder = tempfile.mkdtemp(prefix="deja-faults-", dir="/dev/shm")
    table, faults = collections.defaultdict(collections.Counter), []
    try:
        inputs = os.path.join(folder, "inputs")
        cases.make_inputs(inputs, arguments.deja)
        with multiprocessing.Pool(None, set_up, (folder, inputs, arguments.deja, arguments.shim)) as pool:
            tasks, bad = plan(pool.map(find_reference, wanted, 1), arguments)
            if arguments.seconds:
                random.Random(arguments.seed).shuffle(tasks)
            began = time.monotonic()
            print(f"{len(tasks)} trials of {len(wanted)} commands; seed {arguments.seed}", flush=True)
            for name, fault, worth, why, command in pool.imap_unordered(try_fault, tasks, 16):
                if worth == "WRONG" and (name, fault.split(":")[0]) in cases.KNOWN:
                    worth = "known"
                elif worth == "WRONG":
                    faults.append((name, fault, why, command))
                table[name, fault.split(":")[0]][worth] += 1
                if arguments.seconds and time.monotonic() - began > arguments.seconds:
                    print(f"stopped after {arguments.seconds:g} s")
                    break
    finally:
        if not arguments.keep:
            shutil.rmtree(folder)
    print_table(table, sorted(faults))
    print("\n".join(bad))
    return 1 if faults or bad else 0


if __name__ == "__main__":
    sys.exit(main())
