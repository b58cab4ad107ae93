// SPDX-License-Identifier: MIT
// Data that is reached in no order, while another object, which may hold the order, is swept.
#include "model/advice/advice.h"

static bool has_list(const dj_reuse_evidence *e)
{
    return e->facts.irregular && e->facts.list != DJ_NOWHERE;
}

static bool is_scatter(const dj_reuse_evidence *e)
{
    return has_list(e) && e->attribution->places[e->reuse->to].tally.writes > 0;
}

static uint32_t carrier(const dj_reuse_evidence *e)
{
    return e->facts.carrier;
}

static void say_list(const dj_reuse_evidence *e, FILE *out)
{
    dj_names_put_data(e->names, e->facts.list, "", out);
}

static void state_list(const dj_reuse_evidence *e, FILE *out)
{
    fputs("distances without order, while ", out);
    say_list(e, out);
    fputs(" is swept beside it\n", out);
}

static void say_partition(const dj_reuse_evidence *e, FILE *out)
{
    fprintf(out, "Writes to %s go to places in no order, while ", e->reuse->data_name);
    say_list(e, out);
    fputs(" is swept. Partitioning the work may help: distribute it to buckets first, so that those of a "
          "bucket "
          "write to a part that fits in the cache.",
          out);
}

// Distributing writes an index of four bytes for each access and reads it back.
static double saves(const dj_reuse_evidence *e, uint64_t blocks)
{
    const double misses = dj_tally_misses(&e->reuse->tally, e->attribution, blocks);
    const double reuses = (double)e->reuse->tally.accesses, cost = 2 * 4 * reuses / e->block_bytes;
    const dj_object_row *object = &e->attribution->objects[e->reuse->object];
    return misses > cost && object->distinct > blocks ? misses - cost : 0;
}

const dj_advice_rule dj_rule_partition = {.name = "partition",
                                          .whole_run = true,
                                          .applies = is_scatter,
                                          .outer_loop = carrier,
                                          .say = say_partition,
                                          .about = DJ_ABOUT_DATA,
                                          .saves = saves,
                                          .state = state_list};

static void state_reorder(const dj_reuse_evidence *e, FILE *out)
{
    state_list(e, out);
    dj_advice_state_classes(e, out);
}

static void say_reorder(const dj_reuse_evidence *e, FILE *out)
{
    fprintf(out, "%s is read in no order, while ", e->reuse->data_name);
    say_list(e, out);
    fputs(" is swept, which may hold the order. Sorting or bucketing the work may help, or renumbering the "
          "data, so that what is used together is stored together.",
          out);
    if (!e->to_line->missed)
        fputs(" If the order must stay, prefetch in software: the next addresses are known.", out);
    else if (dj_advice_can_prefetch(e))
        fputs(" If the order must stay, and that object holds the next indexes, prefetch in software, which "
              "hides these misses and saves none.",
              out);
}

const dj_advice_rule dj_rule_reorder = {.name = "reorder",
                                        .whole_run = true,
                                        .applies = has_list,
                                        .outer_loop = carrier,
                                        .say = say_reorder,
                                        .about = DJ_ABOUT_DATA,
                                        .saves = saves,
                                        .state = state_reorder};
