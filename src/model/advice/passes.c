// SPDX-License-Identifier: MIT
// One piece of the program goes through the data, and then another one, or the same one in the next
// iteration of a loop around both.
#include "model/advice/advice.h"

// Written, block after block that nobody had before, and then read.
static bool is_initialization(const dj_reuse_evidence *e)
{
    const dj_attribution *a = e->attribution;
    const dj_tally *from = e->from_line, *to = e->to_line;
    double again = dj_tally_misses(from, a, a->pair_from) - (double)from->cold;
    return from != to && from->cold > 0 && again <= 0.1 * (double)from->cold &&
           (double)from->writes >= 0.9 * (double)from->accesses && 2 * to->writes < to->accesses;
}

static void say_initialize(const dj_reuse_evidence *e, FILE *out)
{
    dj_reuse_say_from(e, out);
    fprintf(out, " initializes %s, and only much later ", e->reuse->data_name);
    dj_reuse_say_to(e, out);
    fputs(" uses it for the first time. Initializing each piece just before it is used may help.", out);
}

const dj_advice_rule dj_rule_initialize = {
    .name = "initialize late", .applies = is_initialization, .say = say_initialize};

static bool is_next_iteration(const dj_reuse_evidence *e)
{
    return e->reuse->next_iteration;
}

static void say_next_iteration(const dj_reuse_evidence *e, FILE *out)
{
    fprintf(out, "The last use of %s is in ", e->reuse->data_name);
    dj_reuse_say_from(e, out);
    fputs(", the next in ", out);
    dj_reuse_say_to(e, out);
    fputs(", one iteration of ", out);
    dj_reuse_say_loop(e, e->reuse->loop, out);
    fputs(" later. Tiling that loop may help: several iterations on a piece of the data that fits in the "
          "cache, then on the next piece.",
          out);
}

const dj_advice_rule dj_rule_next_iteration = {
    .name = "tile", .applies = is_next_iteration, .say = say_next_iteration};

static bool are_siblings(const dj_reuse_evidence *e)
{
    return e->reuse->relation == DJ_RELATION_SIBLINGS;
}

static void say_fuse(const dj_reuse_evidence *e, FILE *out)
{
    fprintf(out, "One loop goes through %s, then another does: ", e->reuse->data_name);
    dj_reuse_say_from(e, out);
    fputs(", then ", out);
    dj_reuse_say_to(e, out);
    fputs(". Fusing the two, so that each piece is used by both while it is in the cache, may help, as "
          "long as the second needs no more than what the first has done by then.",
          out);
}

const dj_advice_rule dj_rule_fuse = {.name = "fuse", .applies = are_siblings, .say = say_fuse};
