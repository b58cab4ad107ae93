// SPDX-License-Identifier: MIT
// The uses are in different parts of the program, and nothing shows that a loop traverses the data.
#include "model/advice/advice.h"

static bool has_no_loop(const dj_reuse_evidence *e)
{
    return e->reuse->loop == DJ_NOWHERE;
}

static void say_recompute(const dj_reuse_evidence *e, FILE *out)
{
    fprintf(out, "No loop contains both uses of %s: first ", e->reuse->data_name);
    dj_reuse_say_from(e, out);
    fputs(", later ", out);
    dj_reuse_say_to(e, out);
    fputs(". Doing both while the data is in the cache may help, or recomputing the data instead of fetching "
          "it.",
          out);
}

const dj_advice_rule dj_rule_recompute = {.name = "recompute", .applies = has_no_loop, .say = say_recompute};

static bool are_calls_in_loop(const dj_reuse_evidence *e)
{
    return e->reuse->relation == DJ_RELATION_CALLS && e->reuse->loop != DJ_NOWHERE;
}

static void say_call_together(const dj_reuse_evidence *e, FILE *out)
{
    fprintf(out, "In each iteration of ");
    dj_reuse_say_loop(e, e->reuse->loop, out);
    fputs(", ", out);
    dj_reuse_say_from(e, out);
    fprintf(out, " uses %s, and later ", e->reuse->data_name);
    dj_reuse_say_to(e, out);
    fputs(" uses it again. Calling both on one part of the data at a time may help, or moving the calls "
          "closer together.",
          out);
}

const dj_advice_rule dj_rule_call_together = {
    .name = "call together", .applies = are_calls_in_loop, .say = say_call_together};

static bool has_loop(const dj_reuse_evidence *e)
{
    return e->reuse->loop != DJ_NOWHERE;
}

static void say_closer(const dj_reuse_evidence *e, FILE *out)
{
    fputs("Both uses are in the same iteration of ", out);
    dj_reuse_say_loop(e, e->reuse->loop, out);
    fprintf(out, ", with much other data used in between. Moving them closer together may help.");
}

const dj_advice_rule dj_rule_closer = {.name = "bring closer", .applies = has_loop, .say = say_closer};
