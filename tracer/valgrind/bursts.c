// SPDX-License-Identifier: MIT
// Bursts: with a rate below 1 only parts of the run are traced, each a stretch of consecutive blocks. The
// first burst begins with the program. The rest of the run is divided into intervals, and each has its burst
// at a random position. All are the same part of their interval, so that each traced access stands for the
// same number of accesses. Bursts become longer as the run becomes longer, and some are much longer than
// others, to see long reuses.
//
// Beginning and ending a burst discards all translations, so code outside of bursts runs as fast as under a
// tool that does nothing. That happens when the core calls the tool between two blocks: after 100,000 blocks,
// or after fewer, if the tool lowers the count that the core has set. To translate code again takes time: the
// more of it there is, the longer are the intervals.
#include "tool.h"

enum {
    FIRST = 100000,    // blocks of the first burst
    SHORTEST = 5000,   // of others // blocks of a burst
    LONG_EACH = 8,     // one burst in so many is a long one
    LONG_TIMES = 16,   // the others, but not longer than
    LONG_PART = 2,     // this part of all before, so that it does not decide alone
    DOUBLED_EACH = 64, // bursts after which all become twice as long
    DOUBLED_MOST = 6,
    SLOWER = 30,              // times, in bursts
    PER_TRANSLATION = 100000, // blocks, see least_interval
};

static struct {
    Bool on;
    ULong blocks;  // executed so far
    ULong surplus; // that the core counts too, although they were not executed
    ULong since;   // when this burst, or this gap, began
    ULong until;   // and when it ends
    ULong interval_end;
    ULong length;                            // of this interval's burst
    ULong planned;                           // of all bursts but the first
    UInt interval;                           // its number, from 1; 0: that of the first burst
    ULong translated;                        // blocks, in this burst or the last one
    ULong all_translated, translated_before; // in the whole run; before this gap
    Bool measured;                           // of a budget: enough to choose the rate
    ULong random;
} now;

Bool dj_bursts_used(void)
{
    return dj_set.rate < DJ_RATE_ALL;
}

Bool dj_bursts_tracing(void)
{
    return now.on || !dj_bursts_used();
}

UInt dj_bursts_number(void)
{
    return now.interval;
}

static ULong draw(ULong below)
{
    now.random += 0x9e3779b97f4a7c15ULL;
    ULong z = now.random;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
    return below ? (z ^ z >> 31) % below : 0;
}

// At the end of a burst and of a gap.
static void report(void)
{
    uint64_t blocks = now.blocks - now.since;
    dj_ring_put(DJ_RECORD_BURST, now.on, &blocks, 1);
    if (dj_ring_live())
        dj_ring_set_gap(0);
    now.since = now.blocks;
}

static ULong most(ULong a, ULong b)
{
    return a > b ? a : b;
}

static ULong least(ULong a, ULong b)
{
    return a < b ? a : b;
}

// To translate a block takes as long as to execute about 12,000, and happens twice: in the burst and after
// it. That may take a quarter of the time that the interval takes otherwise.
static ULong least_interval(void)
{
    if (dj_budget_used())
        return dj_budget_least_interval(now.translated);
    return now.translated * PER_TRANSLATION * DJ_RATE_ALL / (DJ_RATE_ALL + SLOWER * (ULong)dj_set.rate);
}

static void plan_interval(void)
{
    UInt doubled = now.interval / DOUBLED_EACH;
    now.length = (ULong)SHORTEST << (doubled < DOUBLED_MOST ? doubled : DOUBLED_MOST);
    if (now.interval % LONG_EACH == LONG_EACH / 2)
        now.length = most(now.length, least(now.length * LONG_TIMES, now.planned / LONG_PART));
    now.length = most(now.length, least_interval() * (ULong)dj_set.rate / DJ_RATE_ALL);
    ULong interval = now.length * DJ_RATE_ALL / (ULong)dj_set.rate;
    now.planned += now.length;
    now.until = now.interval_end + draw(interval - now.length);
    now.interval_end += interval;
    now.interval++;
}

void dj_bursts_begin(void)
{
    now.random = (ULong)dj_set.seed;
    now.on = True;
    now.until = now.interval_end = FIRST;
    dj_budget_begin();
}

// A block is translated.
void dj_bursts_translate(void)
{
    now.translated += now.on && now.interval > 0;
    now.all_translated++;
}

// The states of threads, by Valgrind's number; NULL: not known yet.
static VexGuestAMD64State **states;

void dj_bursts_meet(VexGuestAMD64State *guest)
{
    if (!states)
        states = VG_(calloc)("deja.states", VG_N_THREADS, sizeof *states);
    states[VG_(get_running_tid)()] = guest;
}

void dj_bursts_start(ThreadId tid, ULong blocks)
{
    (void)blocks;
    VexGuestAMD64State *guest = dj_bursts_used() && states ? states[tid] : NULL;
    ULong left = now.until > now.blocks ? now.until - now.blocks : 1;
    if (!guest || guest->host_EvC_COUNTER <= left)
        return;
    now.surplus += guest->host_EvC_COUNTER - left;
    guest->host_EvC_COUNTER = (UInt)left;
}

// With a budget, the first burst and the gap after it last until enough is measured. Intervals begin there.
static Bool must_measure(void)
{
    if (!dj_budget_used() || now.measured)
        return False;
    const ULong more = now.on ? dj_budget_extend_burst(now.blocks, now.all_translated)
                              : dj_budget_extend_gap(now.blocks, now.all_translated);
    now.until = now.blocks + more;
    if (more || now.on)
        return more != 0;
    now.measured = True;
    dj_budget_choose(now.since, now.blocks);
    now.interval_end = now.blocks;
    now.translated = now.all_translated - now.translated_before;
    plan_interval();
    return True;
}

static void switch_over(void)
{
    report();
    now.on = !now.on;
    if (now.on) {
        now.translated = 0;
        now.until = now.blocks + now.length;
    } else if (dj_budget_used() && !now.measured) {
        now.translated_before = now.all_translated;
    } else {
        plan_interval();
    }
}

void dj_bursts_step(ThreadId tid, ULong blocks)
{
    (void)tid;
    now.blocks = blocks - now.surplus;
    if (!dj_bursts_used() || !dj_ring_live())
        return;
    if (!now.on)
        dj_ring_set_gap(now.blocks - now.since);
    if (now.measured && !now.on)
        dj_budget_follow_gap(now.since, now.until, now.blocks);
    if (now.blocks < now.until || must_measure())
        return;
    switch_over();
    VG_(discard_translations)(0, ~(ULong)0, "deja");
}

void dj_bursts_end(void)
{
    if (!dj_bursts_used())
        return;
    report();
    if (dj_budget_used())
        dj_budget_end(now.blocks);
}

void dj_bursts_begin_child(void)
{
    now.since = now.blocks;
    dj_budget_begin_child(now.blocks);
}
