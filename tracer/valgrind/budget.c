// SPDX-License-Identifier: MIT
// Chooses the rate of bursts such that the run costs at most a factor of what it costs in gaps. The end of
// the first burst and a gap after it are measured; the rate is set once, since each traced access must stand
// for the same number of accesses. The intervals adapt to what has to be translated again.
//
// Translating a block takes about as long as executing 12,000, without instrumentation and with it.
#include "tool.h"

#include "tracer/budget.h"

enum {
    STEP = 100000, // blocks between two decisions
    BURST_MOST = 500000,
    BURST_EACH = 1000, // blocks for each that was translated
    GAP_LEAST = 2000000,
    GAP_MOST = 20000000,
    PER_TRANSLATION = 12000,
    FOR_BURSTS = 2, // this part of the budget; the rest is for translating
};

static dj_burst_budget budget;
static struct {
    Bool begun, middle; // a measurement; the middle of the current gap was passed
    ULong translated;   // when it began
    ULong unsampled;
} now;

Bool dj_budget_used(void)
{
    return dj_set.budget > DJ_BUDGET_ONE;
}

static dj_burst_cost cost_at(ULong blocks)
{
    return (dj_burst_cost){dj_clock_ns(DJ_CLOCK_PROCESSOR) + dj_ring_waited(), blocks};
}

void dj_budget_begin(void)
{
    if (dj_budget_used())
        budget = (dj_burst_budget){.factor = (uint64_t)dj_set.budget, .began = cost_at(0)};
}

// Its processor time begins at 0.
void dj_budget_begin_child(ULong blocks)
{
    if (!dj_budget_used())
        return;
    budget.began = budget.mark = cost_at(blocks);
    now.unsampled = 0;
}

static void begin(ULong blocks, ULong translated)
{
    now.begun = True;
    now.translated = translated;
    budget.mark = cost_at(blocks);
}

// As blocks of the length that takes as long.
static ULong length_of(ULong translated)
{
    return (translated - now.translated) * PER_TRANSLATION;
}

ULong dj_budget_extend_burst(ULong blocks, ULong translated)
{
    if (!now.begun) {
        begin(blocks, translated);
        return STEP;
    }
    const ULong done = blocks - budget.mark.length;
    if (done < BURST_MOST && (translated - now.translated) * BURST_EACH > done)
        return STEP;
    // How long translation took is known only when gaps are.
    dj_burst_cost_add(&budget.burst, &budget.mark, cost_at(blocks));
    now.translated = translated - now.translated;
    now.begun = False;
    return 0;
}

// Measures a stretch in which hardly anything was translated.
ULong dj_budget_extend_gap(ULong blocks, ULong translated)
{
    static ULong in_burst, until;
    if (until == 0) {
        in_burst = now.translated;
        until = blocks + GAP_MOST;
    }
    if (!now.begun || length_of(translated) > (blocks - budget.mark.length) / 8)
        begin(blocks, translated);
    if (blocks - budget.mark.length < GAP_LEAST && blocks < until)
        return STEP;
    if (blocks == budget.mark.length)
        return STEP;
    dj_burst_cost_add(&budget.gaps, &budget.mark, cost_at(blocks + length_of(translated)));
    const uint64_t spent = in_burst * PER_TRANSLATION * dj_burst_cost_each(&budget.gaps) / 1000;
    budget.burst.ns -= spent < budget.burst.ns / 2 ? spent : budget.burst.ns / 2;
    return 0;
}

static void send(void)
{
    const uint64_t words[] = {budget.factor, (uint64_t)dj_set.rate, now.unsampled};
    dj_ring_put(DJ_RECORD_BUDGET, 0, words, 3);
}

void dj_budget_choose(ULong since, ULong blocks)
{
    const uint64_t over = (budget.factor - DJ_BUDGET_ONE) / FOR_BURSTS;
    now.unsampled = blocks - since;
    now.middle = True;
    budget.mark = cost_at(blocks);
    dj_set.rate = dj_budget_rate(&budget, over, (uint32_t)dj_set.rate);
    send();
}

// Translating, in the burst and after it, takes the other part of the budget at most.
ULong dj_budget_least_interval(ULong translated)
{
    const ULong rest = (budget.factor - DJ_BUDGET_ONE) / FOR_BURSTS;
    return translated * 2 * PER_TRANSLATION * DJ_BUDGET_ONE / (rest ? rest : 1);
}

// The second half: in the first one the code is translated again.
void dj_budget_follow_gap(ULong since, ULong until, ULong blocks)
{
    if (blocks >= until) {
        if (now.middle && budget.mark.length > since)
            dj_burst_cost_add(&budget.gaps, &budget.mark, cost_at(blocks));
        now.middle = False;
    } else if (!now.middle && blocks >= since + (until - since) / 2) {
        now.middle = True;
        budget.mark = cost_at(blocks);
    }
}

void dj_budget_end(ULong blocks)
{
    const uint64_t reached = dj_budget_reached(&budget, cost_at(blocks));
    send();
    if (reached)
        dj_ring_put(DJ_RECORD_BUDGET, 1, &reached, 1);
}
