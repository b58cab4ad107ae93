// SPDX-License-Identifier: MIT
// A loop returns in order to the data that its iterations use.
#include "model/advice/advice.h"

double dj_advice_median(const dj_reuse_evidence *e)
{
    return dj_tally_moments(&e->reuse->tally, e->attribution).median;
}

static unsigned count_indexes(const char *element)
{
    unsigned count = 0;
    for (; element && *element; element++)
        count += *element == '*';
    return count > 0 ? count : 1;
}

// All of the data is used in between: the loops over its indexes have finished, and the loop around them
// starts its next iteration. Less: the next loop does.
uint32_t dj_advice_infer_carrier(const dj_reuse_evidence *e)
{
    if (e->reuse->next_iteration)
        return e->reuse->loop;
    if (e->reuse->relation != DJ_RELATION_NEST || e->loop_count < 2)
        return DJ_NOWHERE;
    unsigned inner = e->loop_count - 1;
    uint64_t footprint = e->loop_blocks[e->loops[inner]];
    if (footprint > 0 && 2 * dj_advice_median(e) < (double)footprint)
        return e->loops[inner - 1];
    unsigned indexes = count_indexes(e->attribution->places[e->reuse->to].element);
    return e->loops[indexes < inner ? inner - indexes : 0];
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
    if (half <= a->pair_from || dj_advice_median(e) >= (double)half)
        return false;
    visits own = count_visits(a, to, half), line = count_visits(a, e->to_line, half);
    double share = (own.late + own.early) / (double)to->accesses;
    if (own.early >= own.late && 64 * own.late >= own.early && share >= 0.5)
        return true;
    return line.early >= 3 * line.late && 64 * line.late >= line.early && share >= 0.9;
}

static bool is_in_order(const dj_reuse_evidence *e)
{
    return e->facts.carrier != DJ_NOWHERE && !e->facts.irregular && !e->facts.nodes &&
           e->reuse->from_object == e->reuse->object;
}

static bool interchange_applies(const dj_reuse_evidence *e)
{
    return (is_in_order(e) || !e->facts.measured) && !e->facts.irregular && !e->facts.one_iteration &&
           e->reuse->from_object == e->reuse->object && e->reuse->relation == DJ_RELATION_NEST &&
           e->loop_count >= 2 && steps_across(e);
}

// Interchanged, the loops would stride across the other data.
static bool tile_both_applies(const dj_reuse_evidence *e)
{
    return interchange_applies(e) && e->facts.along;
}

static uint32_t carrier(const dj_reuse_evidence *e)
{
    return e->facts.carrier;
}

// Inferred, the loop that returns for the next part is the next one.
static uint32_t next_loop(const dj_reuse_evidence *e)
{
    return e->facts.measured ? e->facts.carrier : e->loops[e->loop_count - 2];
}

static const char *probably(const dj_reuse_evidence *e)
{
    return e->facts.measured ? "" : "probably ";
}

static void say_interchange(const dj_reuse_evidence *e, FILE *out)
{
    fputs("The innermost ", out);
    dj_reuse_say_loop(e, e->reuse->loop, out);
    fprintf(out, " strides across %s: it uses only a part of each block, and %s", e->reuse->data_name,
            probably(e));
    dj_reuse_say_loop(e, e->reuse->outer_loop, out);
    fputs(
        " returns for the next part. Interchanging the two loops may help, so that the inner one runs along "
        "memory; so may transposing the data, or tiling both loops.",
        out);
}

static void say_tile_both(const dj_reuse_evidence *e, FILE *out)
{
    fputs("The innermost ", out);
    dj_reuse_say_loop(e, e->reuse->loop, out);
    fprintf(out, " strides across %s and runs along other data, so interchanging loops would not help. %s",
            e->reuse->data_name, e->facts.measured ? "" : "Probably ");
    dj_reuse_say_loop(e, e->reuse->outer_loop, out);
    fputs(
        " returns for the next part of each block. Tiling both loops may help: work on a square that fits in "
        "the cache, then on the next.",
        out);
}

static void state_part(const dj_reuse_evidence *e, FILE *out)
{
    if (e->facts.used > 0)
        fprintf(out, "at most %.0f of the %.0f bytes of a block are used per fetch\n", e->facts.used,
                e->block_bytes);
}

// An inferred carrier stands for all reuses of the pair, of which only the early ones are saved.
static double interchange_saves(const dj_reuse_evidence *e, uint64_t blocks)
{
    const dj_attribution *a = e->attribution;
    const uint64_t half = a->objects[e->reuse->object].distinct / 2;
    const double misses = dj_tally_misses(&e->reuse->tally, a, blocks);
    return e->facts.measured || blocks >= half ? misses : misses - dj_tally_misses(&e->reuse->tally, a, half);
}

const dj_advice_rule dj_rule_interchange = {.name = "interchange",
                                            .whole_run = true,
                                            .applies = interchange_applies,
                                            .outer_loop = next_loop,
                                            .say = say_interchange,
                                            .about = DJ_ABOUT_LOOP,
                                            .saves = interchange_saves,
                                            .state = state_part};

const dj_advice_rule dj_rule_tile_both = {.name = "tile",
                                          .whole_run = true,
                                          .applies = tile_both_applies,
                                          .outer_loop = next_loop,
                                          .say = say_tile_both,
                                          .about = DJ_ABOUT_LOOP,
                                          .saves = interchange_saves,
                                          .state = state_part};

// Several calls in an iteration cannot be combined across iterations, and data in no order not at all.
static bool is_swept_again(const dj_reuse_evidence *e)
{
    return is_in_order(e) && !e->facts.tangled && e->facts.parts <= 1;
}

static bool is_wavefront(const dj_reuse_evidence *e)
{
    return is_swept_again(e) && e->facts.inner_flow && e->reuse->relation == DJ_RELATION_NEST;
}

static void say_wavefront(const dj_reuse_evidence *e, FILE *out)
{
    dj_reuse_say_loop(e, e->facts.carrier, out);
    fprintf(
        out,
        " sweeps %s in every iteration, and the loops inside it depend on what their earlier iterations "
        "wrote, so they must keep their order. Blocking the wavefront may help: at each point, do several "
        "iterations of that loop before going on.",
        e->reuse->data_name);
}

static void state_flow(const dj_reuse_evidence *e, FILE *out)
{
    (void)e;
    fputs("loops inside it read what their earlier iterations wrote\n", out);
}

const dj_advice_rule dj_rule_wavefront = {.name = "wavefront",
                                          .whole_run = true,
                                          .applies = is_wavefront,
                                          .outer_loop = carrier,
                                          .say = say_wavefront,
                                          .about = DJ_ABOUT_LOOP,
                                          .state = state_flow};

static void say_tile(const dj_reuse_evidence *e, FILE *out)
{
    dj_reuse_say_loop(e, e->facts.carrier, out);
    fprintf(out,
            " %ssweeps %s in every iteration. Tiling it may help: run several iterations on a part of "
            "the data that fits in the cache, then move on to the next part.",
            probably(e), e->reuse->data_name);
    if (e->facts.depends)
        fputs(
            " Its iterations read what earlier ones wrote, so the parts must be skewed: each iteration works "
            "a little behind the one before it.",
            out);
}

static void state_depends(const dj_reuse_evidence *e, FILE *out)
{
    fprintf(out, "%s\n",
            e->facts.depends ? "iterations read what earlier ones wrote"
                             : "none of these reuses reads what an earlier iteration wrote");
}

const dj_advice_rule dj_rule_tile = {.name = "tile",
                                     .whole_run = true,
                                     .applies = is_swept_again,
                                     .outer_loop = carrier,
                                     .say = say_tile,
                                     .about = DJ_ABOUT_LOOP,
                                     .state = state_depends};
