// SPDX-License-Identifier: MIT
// Which advice fits. The relation of two uses is known; what a loop does to its
// data is concluded from distances and footprints, and so told with "may".
#include "model/advice.h"

#include <string.h>

// The loops that contain both uses, outermost first.
typedef struct chain {
    uint32_t loops[DJ_NEST_MOST];
    unsigned count;
} chain;

static chain find_chain(const dj_bonds *ways)
{
    chain found = {.count = 0};
    // Of more loops than fit the inner ones matter.
    for (size_t i = ways->common; i > 0 && found.count < DJ_NEST_MOST; i--)
        if (ways->from.steps[i - 1].loop != DJ_NOWHERE)
            found.loops[found.count++] = ways->from.steps[i - 1].loop;
    for (unsigned i = 0; i < found.count / 2; i++) {
        uint32_t other = found.loops[i];
        found.loops[i] = found.loops[found.count - 1 - i];
        found.loops[found.count - 1 - i] = other;
    }
    return found;
}

// A sweep comes back at few distances; a search through a table at all of them.
// Of uniformly random accesses the two fullest octaves hold three quarters.
static bool is_regular(const dj_attribution *a, const dj_tally *tally)
{
    uint64_t octaves[66] = {0}, all = 0, first = 0, second = 0;
    for (uint32_t i = 0; i < tally->bin_count; i++) {
        octaves[dj_log2_bin(a->edges[tally->bin_first + i])] += tally->bins[i];
        all += tally->bins[i];
    }
    for (size_t i = 0; i < sizeof octaves / sizeof *octaves; i++)
        if (octaves[i] > first) {
            second = first;
            first = octaves[i];
        } else if (octaves[i] > second) {
            second = octaves[i];
        }
    return (double)(first + second) >= 0.8 * (double)all;
}

static unsigned count_indexes(const char *element)
{
    unsigned count = 0;
    for (; element && *element; element++)
        count += *element == '*';
    return count > 0 ? count : 1;
}

// How often accesses come to a block after a long way: anew, after half of the
// data or more, and again, after less.
typedef struct visits {
    double anew, again;
} visits;

static visits count_visits(const dj_attribution *a, const dj_tally *tally, uint64_t half)
{
    double anew = dj_tally_misses(tally, a, half);
    return (visits){anew, dj_tally_misses(tally, a, a->pair_from) - anew};
}

// An inner loop that uses a part of each block, of at most 64, comes anew once
// and again for the other parts, with most of its accesses. Where neighbours
// are used too, one instruction may come anew and another again; but so it is
// in a sweep along memory that uses three rows at once, which comes again twice.
static bool steps_across(const dj_evidence *e, const dj_reuse *reuse, double median)
{
    const dj_tally *to = &e->a->places[reuse->to].tally;
    const dj_object_row *object = &e->a->objects[reuse->object];
    uint64_t half = object->distinct / 2;
    // A rest is not one piece of data.
    if (object->kind == DJ_OBJECT_UNKNOWN || object->kind == DJ_OBJECT_MODULE)
        return false;
    if (half <= e->a->pair_from || median >= (double)half)
        return false;
    visits own = count_visits(e->a, to, half), line = count_visits(e->a, e->to_line, half);
    double share = (own.anew + own.again) / (double)to->accesses;
    if (own.again >= own.anew && 64 * own.anew >= own.again && share >= 0.5)
        return true;
    return line.again >= 3 * line.anew && 64 * line.anew >= line.again && share >= 0.9;
}

static void advise_nest(const dj_evidence *e, const dj_bonds *ways, dj_reuse *reuse)
{
    chain nest = find_chain(ways);
    double median = dj_tally_moments(&reuse->tally, e->a).median;
    if (!is_regular(e->a, &reuse->tally) || nest.count < 2) {
        reuse->advice = DJ_ADVICE_REORDER;
        return;
    }
    unsigned inner = nest.count - 1;
    uint64_t footprint = e->loop_blocks[nest.loops[inner]];
    reuse->advice = DJ_ADVICE_TILE;
    reuse->outer_loop = nest.loops[inner - 1];
    if (steps_across(e, reuse, median)) {
        reuse->advice = DJ_ADVICE_INTERCHANGE;
    } else if (footprint == 0 || 2 * median >= (double)footprint) {
        // All of the data comes between: the loops that its indexes need are
        // done, and one around them begins anew.
        unsigned indexes = count_indexes(e->a->places[reuse->to].element);
        reuse->outer_loop = nest.loops[indexes < inner ? inner - indexes : 0];
    }
}

// Written, block after block that nobody had before, and then read.
static bool is_initialization(const dj_evidence *e)
{
    const dj_tally *from = e->from_line, *to = e->to_line;
    double again = dj_tally_misses(from, e->a, e->a->pair_from) - (double)from->cold;
    return from != to && from->cold > 0 && again <= 0.1 * (double)from->cold &&
           (double)from->writes >= 0.9 * (double)from->accesses && 2 * to->writes < to->accesses;
}

static void choose(const dj_evidence *e, const dj_bond *bond, const dj_bonds *ways, dj_reuse *reuse)
{
    const dj_attribution *a = e->a;
    bool recursive = bond->frame != DJ_NOWHERE && a->contexts[bond->frame].recursive && !bond->loop_in_frame;
    if (reuse->from_object != reuse->object)
        reuse->advice = DJ_ADVICE_RECYCLED;
    else if (bond->relation == DJ_RELATION_THREADS)
        reuse->advice = DJ_ADVICE_SAME_THREAD;
    else if (recursive)
        reuse->advice = DJ_ADVICE_RECURSION;
    else if (bond->relation == DJ_RELATION_NEST && bond->loop != DJ_NOWHERE)
        advise_nest(e, ways, reuse);
    else if (is_initialization(e))
        reuse->advice = DJ_ADVICE_INITIALIZE;
    else if (bond->next_iteration)
        reuse->advice = DJ_ADVICE_TILE;
    else if (bond->relation == DJ_RELATION_SIBLINGS)
        reuse->advice = DJ_ADVICE_FUSE;
    else if (bond->loop == DJ_NOWHERE)
        reuse->advice = DJ_ADVICE_RECOMPUTE;
    else
        reuse->advice = bond->relation == DJ_RELATION_CALLS ? DJ_ADVICE_CALL_TOGETHER : DJ_ADVICE_CLOSER;
}

int dj_advise(dj_context *context, const dj_evidence *evidence, const dj_bond *bond, const dj_bonds *ways,
              dj_reuse *reuse)
{
    reuse->outer_loop = DJ_NOWHERE;
    choose(evidence, bond, ways, reuse);
    return dj_advice_say(context, evidence, bond, reuse);
}
