// SPDX-License-Identifier: MIT
// Causes that are certain: other data in the same memory, another thread, or recursion.
#include "model/advice/advice.h"

static bool is_recycled(const dj_reuse_evidence *e)
{
    const dj_tally *to = &e->attribution->places[e->reuse->to].tally;
    return e->reuse->from_object != e->reuse->object && to->writes == to->accesses;
}

static void say_recycled(const dj_reuse_evidence *e, FILE *out)
{
    fprintf(out, "The memory was last used as %s, so the block is reused, not the data: ",
            e->attribution->objects[e->reuse->from_object].name);
    fputs("it was freed and reallocated, or the two are adjacent. Reusing memory soon after it is freed may "
          "help, or allocating it only once.",
          out);
}

const dj_advice_rule dj_rule_recycled = {
    .name = "recycled memory", .applies = is_recycled, .say = say_recycled, .about = DJ_ABOUT_DATA};

static bool are_threads(const dj_reuse_evidence *e)
{
    return e->reuse->relation == DJ_RELATION_THREADS;
}

static void say_same_thread(const dj_reuse_evidence *e, FILE *out)
{
    dj_reuse_say_thread(e, e->reuse->from, out);
    fprintf(out, " used %s last, and ", e->reuse->data_name);
    dj_reuse_say_thread(e, e->reuse->to, out);
    fputs(" uses it next. Assigning both uses of a part to one thread, soon after each other, may help.",
          out);
}

const dj_advice_rule dj_rule_same_thread = {
    .name = "same thread", .applies = are_threads, .say = say_same_thread};

static bool is_recursion(const dj_reuse_evidence *e)
{
    return e->frame != DJ_NOWHERE && e->attribution->cct[e->frame].recursive && !e->loop_in_frame &&
           !e->facts.irregular && !e->facts.nodes;
}

static void say_recursion(const dj_reuse_evidence *e, FILE *out)
{
    const dj_cct_node *frame = &e->attribution->cct[e->frame];
    fprintf(out,
            "The recursion of %s returns to %s. Finishing a part that fits in the cache before starting the "
            "next may help: recurse depth first, with a larger base case.",
            dj_names_function(e->names, frame->function), e->reuse->data_name);
}

const dj_advice_rule dj_rule_recursion = {.name = "recursion", .applies = is_recursion, .say = say_recursion};
