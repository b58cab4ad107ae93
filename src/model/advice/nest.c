// SPDX-License-Identifier: MIT
// Both uses are in the same loops of the same frame, so a loop returns to the data. The distances show how.
#include "model/advice/advice.h"

// A sweep returns at few distances, a search through a table at all of them. With uniformly random
// accesses, the two fullest octaves hold three quarters of the reuses.
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

// Long reuses of a block: `late` ones after half of the data or more, `early` ones after less.
typedef struct visits {
    double late, early;
} visits;

static visits count_visits(const dj_attribution *a, const dj_tally *tally, uint64_t half)
{
    double late = dj_tally_misses(tally, a, half);
    return (visits){late, dj_tally_misses(tally, a, a->pair_from) - late};
}

// An inner loop that uses one of at most 64 parts of each block has one late visit and early visits for the
// other parts, with most of its accesses. If neighbours are used too, one instruction may have the late
// visits and another the early ones; but a sweep along memory that uses three rows at once has that, too,
// with two early visits.
static bool steps_across(const dj_reuse_evidence *e)
{
    const dj_attribution *a = e->attribution;
    const dj_tally *to = &a->places[e->reuse->to].tally;
    const dj_object_row *object = &a->objects[e->reuse->object];
    uint64_t half = object->distinct / 2;
    // Unnamed memory is not one data object.
    if (object->kind == DJ_OBJECT_UNKNOWN || object->kind == DJ_OBJECT_MODULE)
        return false;
    if (half <= a->pair_from || median_of(e) >= (double)half)
        return false;
    visits own = count_visits(a, to, half), line = count_visits(a, e->to_line, half);
    double share = (own.late + own.early) / (double)to->accesses;
    if (own.early >= own.late && 64 * own.late >= own.early && share >= 0.5)
        return true;
    return line.early >= 3 * line.late && 64 * line.late >= line.early && share >= 0.9;
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
    fprintf(out, " strides across %s: it uses only a part of each block, and probably ", e->reuse->data_name);
    dj_reuse_say_loop(e, e->reuse->outer_loop, out);
    fputs(
        " returns for the next part. Interchanging the two loops may help, so that the inner one runs along "
        "memory; so may transposing the data, or tiling both loops.",
        out);
}

const dj_advice_rule dj_rule_interchange = {.name = "interchange",
                                            .whole_run = true,
                                            .applies = interchange_applies,
                                            .outer_loop = next_loop,
                                            .say = say_interchange};

static uint32_t sweeping_loop(const dj_reuse_evidence *e)
{
    unsigned inner = e->loop_count - 1;
    uint64_t footprint = e->loop_blocks[e->loops[inner]];
    if (footprint > 0 && 2 * median_of(e) < (double)footprint)
        return next_loop(e);
    // All of the data is used in between: the loops over its indexes have finished, and the loop around
    // them starts its next iteration.
    unsigned indexes = count_indexes(e->attribution->places[e->reuse->to].element);
    return e->loops[indexes < inner ? inner - indexes : 0];
}

static void say_tile(const dj_reuse_evidence *e, FILE *out)
{
    dj_reuse_say_loop(e, e->reuse->outer_loop, out);
    fprintf(out,
            " probably sweeps %s in every iteration. Tiling it may help: run several iterations on a part of "
            "the data that fits in the cache, then move on to the next part.",
            e->reuse->data_name);
}

const dj_advice_rule dj_rule_tile = {.name = "tile",
                                     .whole_run = true,
                                     .applies = is_swept_again,
                                     .outer_loop = sweeping_loop,
                                     .say = say_tile};

static void say_reorder(const dj_reuse_evidence *e, FILE *out)
{
    dj_reuse_say_loop(e, e->reuse->loop, out);
    fprintf(out,
            " returns to %s in an order that no enclosing loop explains. Sorting or bucketing its work may "
            "help, so that uses of the same part come together; so may making the data smaller.",
            e->reuse->data_name);
}

const dj_advice_rule dj_rule_reorder = {
    .name = "reorder", .whole_run = true, .applies = is_in_loop, .say = say_reorder};
