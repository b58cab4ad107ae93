// SPDX-License-Identifier: MIT
// Fibers by number, created once and reused for every block.
#ifndef DEJA_EMULATE_FIBER_H
#define DEJA_EMULATE_FIBER_H

namespace emulated
{
enum { FIBER_MOST = 1024, FIBER_MAIN = FIBER_MOST };

// From now on each of the first `count` fibers calls run(number) when it is switched to, unless it is
// already running. It may return only by switching to another fiber.
void fibers_make(unsigned count, void (*run)(unsigned number));
void fiber_switch(unsigned to);
} // namespace emulated
#endif
