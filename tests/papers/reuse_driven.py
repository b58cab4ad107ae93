# SPDX-License-Identifier: MIT
"""Reuse-driven execution by its definition (Ding and Kennedy, IPDPS 2001), of the words that the recorder of trace.c
writes with $TRACE_KINDS. It shares nothing with Deja."""
import collections

BEGINS = 2**64 - 1  # a statement
READS, WRITES = 1, 2

Uses = collections.namedtuple("Uses", "element reads writes")


def statements(words):
    """The instances in program order, each the list of what it uses: an element once, at its first access."""
    instances = []
    for word in words:
        if word == BEGINS:
            instances.append({})
            continue
        element, kind = divmod(word, 4)
        instances[-1][element] = instances[-1].get(element, 0) | (READS, WRITES, READS | WRITES)[kind]
    return [[Uses(element, bool(how & READS), bool(how & WRITES)) for element, how in one.items()]
            for one in instances]


def dependences(instances, only_flow=False):
    """By instance, those that it must follow: for each of its uses the last writer, and before a write also
    the readers since. `only_flow`: the writers of what it reads, as if each write had a place of its own."""
    writer, readers, before = {}, collections.defaultdict(list), []
    for number, uses in enumerate(instances):
        needed = []
        for use in uses:
            if use.element in writer and (use.reads or not only_flow):
                needed.append(writer[use.element])
            if use.writes and not only_flow:
                needed += readers[use.element]
        before.append(needed)
        for use in uses:
            if use.writes:
                writer[use.element] = number
                readers[use.element] = []
            else:
                readers[use.element].append(number)
    return before


def next_users(instances):
    """By instance, for each of its uses in order, the next instance that uses the element."""
    following, upcoming = [None] * len(instances), {}
    for number in range(len(instances) - 1, -1, -1):
        following[number] = [upcoming[use.element] for use in instances[number] if use.element in upcoming]
        for use in instances[number]:
            upcoming[use.element] = number
    return following


def ideal_steps(before):
    """When a machine without limits would execute each instance."""
    steps = []
    for needed in before:
        steps.append(1 + max((steps[other] for other in needed), default=-1))
    return steps


class ReuseDriven:
    """Instances in the order of reuse: from each instance of the ideal parallel execution, its next uses. The paper
    says that these are queued; `stack` and `only_flow` show how much depends on that, and on the dependences."""

    def __init__(self, instances, stack=False, only_flow=False):
        self.before, self.following = dependences(instances, only_flow), next_users(instances)
        self.order, self.executed, self.queued, self.queue = [], set(), set(), collections.deque()
        if stack:  # the next user of the first datum on top
            self.following = [later[::-1] for later in self.following]
        steps = ideal_steps(self.before)
        for instance in sorted(range(len(instances)), key=lambda number: (steps[number], number)):
            self.execute(instance)
            while self.queue:
                self.execute(self.queue.pop() if stack else self.queue.popleft())

    def execute(self, instance):
        """What it needs first; an explicit stack, since chains of producers are long."""
        stack = [] if instance in self.executed else [(instance, iter(self.before[instance]))]
        while stack:
            top, needed = stack[-1]
            missing = next((other for other in needed if other not in self.executed), None)
            if missing is not None:
                stack.append((missing, iter(self.before[missing])))
                continue
            stack.pop()
            self.order.append(top)
            self.executed.add(top)
            for later in self.following[top]:
                if later not in self.executed and later not in self.queued:
                    self.queued.add(later)
                    self.queue.append(later)
