// SPDX-License-Identifier: MIT
// Both uses are in the same loops of the same frame: a loop comes back to the data. What it does with it
// shows in the distances.
#include "model/advice/advice.h"

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

static double median_of(const dj_reuse_evidence *e)
{
    return dj_tally_moments(&e->reuse->tally, e->attribution).median;
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
static bool steps_across(const dj_reuse_evidence *e)
{
    const dj_attribution *a = e->attribution;
    const dj_tally *to = &a->places[e->reuse->to].tally;
    const dj_object_row *object = &a->objects[e->reuse->object];
    uint64_t half = object->distinct / 2;
    // A rest is not one piece of data.
    if (object->kind == DJ_OBJECT_UNKNOWN || object->kind == DJ_OBJECT_MODULE)
        return false;
    if (half <= a->pair_from || median_of(e) >= (double)half)
        return false;
    visits own = count_visits(a, to, half), line = count_visits(a, e->to_line, half);
    double share = (own.anew + own.again) / (double)to->accesses;
    if (own.again >= own.anew && 64 * own.anew >= own.again && share >= 0.5)
        return true;
    return line.again >= 3 * line.anew && 64 * line.anew >= line.again && share >= 0.9;
}

static bool is_in_loop(const dj_reuse_evidence *e)
{
    return e->reuse->relation == DJ_RELATION_NEST && e->reuse->loop != DJ_NOWHERE;
}

static bool is_swept_again(const dj_reuse_evidence *e)
{
    return is_in_loop(e) && e->loop_count >= 2 && is_regular(e->attribution, &e->reuse->tally);
}

static bool interchange_applies(const dj_reuse_evidence *e)
{
    return is_swept_again(e) && steps_across(e);
}

static uint32_t next_loop(const dj_reuse_evidence *e)
{
    return e->loops[e->loop_count - 2];
}

static void say_interchange(const dj_reuse_evidence *e, FILE *out)
{
    fputs("The innermost ", out);
    dj_reuse_say_loop(e, e->reuse->loop, out);
    fprintf(out, " steps across %s: it uses a part of each block, and likely ", e->reuse->data_name);
    dj_reuse_say_loop(e, e->reuse->outer_loop, out);
    fputs(" comes back for the next part. Interchanging the two, so that the inner one goes along memory, "
          "may help; or turning the layout of the data around; or tiling both.",
          out);
}

const dj_advice_rule dj_rule_interchange = {
    .name = "interchange", .applies = interchange_applies, .outer_loop = next_loop, .say = say_interchange};

static uint32_t sweeping_loop(const dj_reuse_evidence *e)
{
    unsigned inner = e->loop_count - 1;
    uint64_t footprint = e->loop_blocks[e->loops[inner]];
    if (footprint > 0 && 2 * median_of(e) < (double)footprint)
        return next_loop(e);
    // All of the data comes between: the loops that its indexes need are done, and one around them begins
    // anew.
    unsigned indexes = count_indexes(e->attribution->places[e->reuse->to].element);
    return e->loops[indexes < inner ? inner - indexes : 0];
}

static void say_tile(const dj_reuse_evidence *e, FILE *out)
{
    fputs("Likely ", out);
    dj_reuse_say_loop(e, e->reuse->outer_loop, out);
    fprintf(out,
            " sweeps %s again in each of its iterations. Tiling it may help: several iterations on a piece "
            "of the data that fits in the cache, then on the next piece.",
            e->reuse->data_name);
}

const dj_advice_rule dj_rule_tile = {
    .name = "tile", .applies = is_swept_again, .outer_loop = sweeping_loop, .say = say_tile};

static void say_reorder(const dj_reuse_evidence *e, FILE *out)
{
    dj_reuse_say_loop(e, e->reuse->loop, out);
    fprintf(out,
            " comes back to %s in an order that no loop around it explains. Sorting or bucketing its work, "
            "so that uses of the same part come together, may help; or making the data smaller.",
            e->reuse->data_name);
}

const dj_advice_rule dj_rule_reorder = {.name = "reorder", .applies = is_in_loop, .say = say_reorder};
