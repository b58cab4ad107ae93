// SPDX-License-Identifier: MIT
// Misses without a pattern of which none leads to the next: several can be on their way at once. To prefetch
// them hides their latency.
#include "base/human.h"
#include "model/advice/advice.h"

typedef struct shares {
    double all, irregular, dependent;
} shares;

// Of the line that uses the data again, misses after a use that was long ago.
static shares shares_of(const dj_reuse_evidence *e)
{
    const dj_miss_counts *missed = e->to_line->missed;
    shares s = {0, 0, 0};
    for (unsigned bin = DJ_MISS_HITS + 1; missed && dj_miss_count_at(bin, 0, false) < missed->count; bin++)
        for (unsigned k = 0; k < 2 * DJ_MISS_CLASSES; k++) {
            const enum dj_miss_class class = (enum dj_miss_class)(k / 2);
            const double count = (double)missed->counts[dj_miss_count_at(bin, class, k % 2)];
            s.all += count;
            s.irregular += class == DJ_MISS_IRREGULAR ? count : 0;
            s.dependent += class == DJ_MISS_DEPENDENT ? count : 0;
        }
    return s;
}

// A processor that executes out of order hides the misses of its smallest cache itself.
static bool is_far(const dj_reuse_evidence *e)
{
    const dj_attribution *a = e->attribution;
    const dj_tally *tally = &e->reuse->tally;
    return a->cut_count > 0 &&
           2 * dj_tally_misses(tally, a, a->cuts[a->cut_count > 1].blocks) >= (double)tally->accesses;
}

bool dj_advice_can_prefetch(const dj_reuse_evidence *e)
{
    const shares s = shares_of(e);
    return s.all > 0 && 10 * s.irregular >= 8 * s.all && 20 * s.dependent <= s.all && is_far(e);
}

void dj_advice_state_classes(const dj_reuse_evidence *e, FILE *out)
{
    const shares s = shares_of(e);
    char irregular[DJ_HUMAN_BYTES], dependent[DJ_HUMAN_BYTES];
    if (s.all > 0)
        fprintf(out, "%s of the misses of the line are irregular, and %s dependent\n",
                dj_human_share(irregular, s.irregular, s.all), dj_human_share(dependent, s.dependent, s.all));
}

// With a list beside it, sorting comes first. Small nodes are reached by pointers.
static bool applies(const dj_reuse_evidence *e)
{
    const dj_tally *line = e->to_line;
    return e->facts.irregular && e->facts.list == DJ_NOWHERE && !e->facts.nodes && e->loop_count > 0 &&
           2 * line->writes < line->accesses && dj_advice_can_prefetch(e);
}

static uint32_t carrier(const dj_reuse_evidence *e)
{
    return e->facts.carrier;
}

static void say(const dj_reuse_evidence *e, FILE *out)
{
    fprintf(out,
            "%s is read in no order, and no chain of loads was found that leads from one access to the next. "
            "If keys or indexes are known ahead, software prefetching may help: compute the addresses of a "
            "batch, prefetch them, then use them. It hides these misses, and saves none.",
            e->reuse->data_name);
}

const dj_advice_rule dj_rule_prefetch = {.name = "prefetch",
                                         .whole_run = true,
                                         .hides = true,
                                         .applies = applies,
                                         .outer_loop = carrier,
                                         .say = say,
                                         .about = DJ_ABOUT_DATA,
                                         .state = dj_advice_state_classes};
