// SPDX-License-Identifier: MIT
// One part of the program traverses the data, then another part does, or the same part in the next
// iteration of an enclosing loop.
#include "model/advice/advice.h"

// Written first, mostly cold blocks, and read later.
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
    fprintf(out, " initializes %s; only much later, ", e->reuse->data_name);
    dj_reuse_say_to(e, out);
    fputs(" uses it for the first time. Initializing each part just before its first use may help.", out);
}

const dj_advice_rule dj_rule_initialize = {
    .name = "initialize late", .whole_run = true, .applies = is_initialization, .say = say_initialize};

static bool is_next_iteration(const dj_reuse_evidence *e)
{
    return e->reuse->next_iteration;
}

static void say_next_iteration(const dj_reuse_evidence *e, FILE *out)
{
    fprintf(out, "%s was last used in ", e->reuse->data_name);
    dj_reuse_say_from(e, out);
    fputs(" and is used next in ", out);
    dj_reuse_say_to(e, out);
    fputs(", one iteration of ", out);
    dj_reuse_say_loop(e, e->reuse->loop, out);
    fputs(" later. Tiling that loop may help: run several iterations on a part of the data that fits in the "
          "cache, then move on to the next part.",
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
    fprintf(out, "Two loops traverse %s: first ", e->reuse->data_name);
    dj_reuse_say_from(e, out);
    fputs(", then ", out);
    dj_reuse_say_to(e, out);
    fputs(". Fusing them may help, so that both use each part of the data while it is in the cache. This "
          "works if an iteration of the second needs only what the first has computed by then.",
          out);
}

const dj_advice_rule dj_rule_fuse = {.name = "fuse", .applies = are_siblings, .say = say_fuse};
