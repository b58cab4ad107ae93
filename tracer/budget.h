// SPDX-License-Identifier: MIT
// The part of a run that may be traced in bursts, so that the run costs at most a factor of what it costs
// without them. Both tracers measure early in the run what bursts and gaps cost, and at the end what the
// whole run has cost. Costs are nanoseconds: processor time of the program, and the time that it waits for
// the analyzer. Lengths are in units of the tracer.
#ifndef DEJA_TRACER_BUDGET_H
#define DEJA_TRACER_BUDGET_H

#include <stdint.h>

enum {
    DJ_BUDGET_ONE = 1000, // factors are in thousandths
    DJ_BUDGET_RATE_LEAST = 100,
    DJ_BUDGET_RATE_ALL = 1000000,
};

// At a point of the run: what it has cost so far, and its length.
typedef struct dj_burst_cost {
    uint64_t ns, length;
} dj_burst_cost;

typedef struct dj_burst_budget {
    uint64_t factor;     // that is allowed; 0: there is no budget
    dj_burst_cost began; // of this process
    dj_burst_cost mark;  // where a stretch began that is measured
    dj_burst_cost burst; // sums over what was measured
    dj_burst_cost gaps;
} dj_burst_budget;

static inline void dj_burst_cost_add(dj_burst_cost *sum, const dj_burst_cost *from, dj_burst_cost to)
{
    sum->ns += to.ns - from->ns;
    sum->length += to.length - from->length;
}

// Picoseconds for each unit of length; 0: not known.
static inline uint64_t dj_burst_cost_each(const dj_burst_cost *sum)
{
    return sum->length ? sum->ns * 1000 / sum->length : 0;
}

// How much longer a stretch takes in a burst, in thousandths.
static inline uint64_t dj_budget_slower(const dj_burst_budget *budget)
{
    const uint64_t gap = dj_burst_cost_each(&budget->gaps);
    return gap ? dj_burst_cost_each(&budget->burst) * DJ_BUDGET_ONE / gap : 0;
}

// The part of the run to trace, in millionths, if bursts may take `over` thousandths of the time of the run
// without them in addition to it: at least DJ_BUDGET_RATE_LEAST, at most `most`.
static inline uint32_t dj_budget_rate(const dj_burst_budget *budget, uint64_t over, uint32_t most)
{
    const uint64_t slower = dj_budget_slower(budget);
    const uint64_t rate =
        slower > DJ_BUDGET_ONE ? over * DJ_BUDGET_RATE_ALL / (slower - DJ_BUDGET_ONE) : most;
    return rate >= most ? most : rate < DJ_BUDGET_RATE_LEAST ? DJ_BUDGET_RATE_LEAST : (uint32_t)rate;
}

// What the run has cost up to here, in thousandths of what it would have cost at the speed of the gaps; 0:
// not known.
static inline uint64_t dj_budget_reached(const dj_burst_budget *budget, dj_burst_cost here)
{
    const uint64_t gap = dj_burst_cost_each(&budget->gaps);
    dj_burst_cost all = {0, 0};
    dj_burst_cost_add(&all, &budget->began, here);
    return gap ? dj_burst_cost_each(&all) * DJ_BUDGET_ONE / gap : 0;
}

#endif
