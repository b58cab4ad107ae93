// SPDX-License-Identifier: MIT
// One part of the program traverses the data, then another part does, in one iteration of what is around
// both.
#include "model/advice/advice.h"

// Measured, or not contradicted by the order of lines.
static bool is_same_iteration(const dj_reuse_evidence *e)
{
    return e->facts.one_iteration || (!e->facts.measured && !e->reuse->next_iteration);
}

// Both parts traverse the data once: a loop that returns to it again and again is not fused with another.
static bool are_single_passes(const dj_reuse_evidence *e)
{
    return is_same_iteration(e) && !e->facts.irregular && !e->returns_again &&
           e->reuse->from_object == e->reuse->object;
}

// Written first, mostly cold blocks, and read later.
static bool is_initialization(const dj_reuse_evidence *e)
{
    const dj_attribution *a = e->attribution;
    const dj_tally *from = e->from_line, *to = e->to_line;
    double again = dj_tally_misses(from, a, a->pair_from) - (double)from->cold;
    return are_single_passes(e) && from != to && from->cold > 0 && again <= 0.1 * (double)from->cold &&
           (double)from->writes >= 0.9 * (double)from->accesses && 2 * to->writes < to->accesses;
}

static void say_initialize(const dj_reuse_evidence *e, FILE *out)
{
    dj_reuse_say_from(e, out);
    fprintf(out, " initializes %s; only much later, ", e->reuse->data_name);
    dj_reuse_say_to(e, out);
    fputs(" uses it for the first time. Initializing each part just before its first use may help.", out);
}

const dj_advice_rule dj_rule_initialize = {.name = "initialize late",
                                           .whole_run = true,
                                           .applies = is_initialization,
                                           .say = say_initialize,
                                           .about = DJ_ABOUT_DATA};

// Loops with lines in one function.
static bool are_fusible(const dj_reuse_evidence *e)
{
    const dj_attribution *a = e->attribution;
    return e->reuse->relation == DJ_RELATION_SIBLINGS && dj_row_is(e->from_at, a->loop_count) &&
           dj_row_is(e->to_at, a->loop_count) &&
           a->loops[e->from_at].function == a->loops[e->to_at].function &&
           dj_names_loop_has_lines(e->names, e->from_at) && dj_names_loop_has_lines(e->names, e->to_at);
}

static bool fuse_applies(const dj_reuse_evidence *e)
{
    return are_fusible(e) && are_single_passes(e);
}

static uint32_t common(const dj_reuse_evidence *e)
{
    return e->reuse->loop;
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

const dj_advice_rule dj_rule_fuse = {
    .name = "fuse", .applies = fuse_applies, .outer_loop = common, .say = say_fuse, .about = DJ_ABOUT_PARTS};

// Different calls, or loops that come from different functions.
static bool call_together_applies(const dj_reuse_evidence *e)
{
    const dj_attribution *a = e->attribution;
    const bool calls = e->reuse->relation == DJ_RELATION_CALLS && e->from_at != e->to_at;
    const bool loops = e->reuse->relation == DJ_RELATION_SIBLINGS && dj_row_is(e->from_at, a->loop_count) &&
                       dj_row_is(e->to_at, a->loop_count) &&
                       a->loops[e->from_at].function != a->loops[e->to_at].function;
    return (calls || loops) && are_single_passes(e);
}

static void say_call_together(const dj_reuse_evidence *e, FILE *out)
{
    if (e->reuse->loop != DJ_NOWHERE) {
        fputs("In each iteration of ", out);
        dj_reuse_say_loop(e, e->reuse->loop, out);
        fputs(", ", out);
    }
    dj_reuse_say_from(e, out);
    fprintf(out, " uses %s, and later ", e->reuse->data_name);
    dj_reuse_say_to(e, out);
    fputs(" uses it again. Calling both on one part of the data at a time may help, or moving the calls "
          "closer together.",
          out);
}

const dj_advice_rule dj_rule_call_together = {.name = "call together",
                                              .applies = call_together_applies,
                                              .outer_loop = common,
                                              .say = say_call_together,
                                              .about = DJ_ABOUT_PARTS};

static bool closer_applies(const dj_reuse_evidence *e)
{
    return e->facts.one_iteration && e->reuse->loop != DJ_NOWHERE &&
           e->reuse->relation == DJ_RELATION_DEEPER && are_single_passes(e);
}

static void say_closer(const dj_reuse_evidence *e, FILE *out)
{
    fputs("Both uses are in the same iteration of ", out);
    dj_reuse_say_loop(e, e->reuse->loop, out);
    fprintf(out, ", with much other data used in between. Moving them closer together may help.");
}

const dj_advice_rule dj_rule_closer = {.name = "bring closer",
                                       .applies = closer_applies,
                                       .outer_loop = common,
                                       .say = say_closer,
                                       .about = DJ_ABOUT_PAIR};
