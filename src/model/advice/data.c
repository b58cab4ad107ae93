// SPDX-License-Identifier: MIT
// Causes in how the data is laid out: temporaries that are larger than they need to be, structures of which
// little is used, nodes that are all over the heap.
#include "model/advice/advice.h"

// Loops inside that return to the temporary would do so in a smaller one, too.
static bool is_temporary(const dj_reuse_evidence *e)
{
    const bool inside = e->reuse->relation == DJ_RELATION_NEST && e->facts.carrier != e->facts.temporary;
    return e->facts.temporary != DJ_NOWHERE && !e->facts.irregular && !inside;
}

static uint32_t temporary_loop(const dj_reuse_evidence *e)
{
    return e->facts.temporary;
}

static bool is_relieved(const dj_reuse_evidence *e)
{
    return e->facts.relieved != DJ_NOWHERE && e->facts.temporary == DJ_NOWHERE;
}

static uint32_t relieved_loop(const dj_reuse_evidence *e)
{
    return e->facts.relieved;
}

static void say_relieved(const dj_reuse_evidence *e, FILE *out)
{
    dj_reuse_say_loop(e, e->facts.relieved, out);
    fprintf(
        out,
        " returns to %s after it has used its temporaries, which are written before they are read in each "
        "iteration. If they are made small, this data stays in the cache.",
        e->reuse->data_name);
}

static void say_shrink(const dj_reuse_evidence *e, FILE *out)
{
    fputs("Each iteration of ", out);
    dj_reuse_say_loop(e, e->facts.temporary, out);
    fprintf(
        out,
        " writes %s before it reads it, so it is a temporary: nothing in it is needed later. Computing and "
        "using a part of it at a time may help, in memory that is used again for the next part; or fusing "
        "the loops that write and read it.",
        e->reuse->data_name);
}

static void state_shrink(const dj_reuse_evidence *e, FILE *out)
{
    fputs("written before it is read in each iteration of ", out);
    dj_reuse_say_loop(e, e->facts.temporary, out);
    fputc('\n', out);
}

const dj_advice_rule dj_rule_shrink_temporary = {.name = "shrink temporary",
                                                 .whole_run = true,
                                                 .applies = is_temporary,
                                                 .outer_loop = temporary_loop,
                                                 .say = say_shrink,
                                                 .about = DJ_ABOUT_LOOP,
                                                 .state = state_shrink};

const dj_advice_rule dj_rule_relieve = {.name = "shrink temporary",
                                        .whole_run = true,
                                        .applies = is_relieved,
                                        .outer_loop = relieved_loop,
                                        .say = say_relieved,
                                        .about = DJ_ABOUT_LOOP};

static uint32_t carrier(const dj_reuse_evidence *e)
{
    return e->facts.carrier;
}

static bool uses_little(const dj_reuse_evidence *e)
{
    const dj_reuse_facts *f = &e->facts;
    return f->used > 0 && 2 * f->used <= e->block_bytes && (f->element <= 0 || f->element >= 1.5 * f->used);
}

static bool split_applies(const dj_reuse_evidence *e)
{
    const dj_reuse_facts *f = &e->facts;
    const bool large = f->element > e->block_bytes || (f->field && !f->nodes && f->element > 0);
    return uses_little(e) && large;
}

static void say_used(const dj_reuse_evidence *e, FILE *out)
{
    fprintf(out, "at most %.0f of the %.0f bytes of a block", e->facts.used, e->block_bytes);
}

static void state_used(const dj_reuse_evidence *e, FILE *out)
{
    say_used(e, out);
    fprintf(out, " are used per fetch; an element has %.0f bytes\n", e->facts.element);
}

static void say_split(const dj_reuse_evidence *e, FILE *out)
{
    say_used(e, out);
    fprintf(out,
            " are used each time that %s is fetched here, and an element has %.0f bytes. Splitting it may "
            "help: keep the fields that are used together in an array of their own, apart from the others.",
            e->reuse->data_name, e->facts.element);
}

static double split_saves(const dj_reuse_evidence *e, uint64_t blocks)
{
    const double whole =
        e->facts.element < e->block_bytes && e->facts.irregular ? e->facts.element : e->block_bytes;
    return dj_advice_saved_by_density(e, blocks, e->facts.used / whole);
}

const dj_advice_rule dj_rule_split_hot = {.name = "split",
                                          .whole_run = true,
                                          .applies = split_applies,
                                          .outer_loop = carrier,
                                          .say = say_split,
                                          .about = DJ_ABOUT_DATA,
                                          .saves = split_saves,
                                          .state = state_used};

// What the nodes would take side by side, of what they take.
static double packed(const dj_reuse_evidence *e)
{
    const dj_object_row *object = &e->attribution->objects[e->reuse->object];
    const double blocks = (double)object->bytes / e->block_bytes;
    return object->distinct > 0 ? blocks / (double)object->distinct : 1;
}

static bool pool_applies(const dj_reuse_evidence *e)
{
    const dj_reuse_facts *f = &e->facts;
    return f->nodes && f->element <= e->block_bytes && f->used > 0 && 4 * f->used <= 3 * e->block_bytes;
}

static void say_pool(const dj_reuse_evidence *e, FILE *out)
{
    const dj_object_row *object = &e->attribution->objects[e->reuse->object];
    fprintf(out, "%s: %llu blocks of %.0f bytes were allocated one by one, and ", e->reuse->data_name,
            (unsigned long long)object->blocks, e->facts.element);
    say_used(e, out);
    fputs(" are used each time that one is fetched. Allocating them from a pool may help, in the order in "
          "which they are visited, so that neighbours share blocks.",
          out);
}

static double pool_saves(const dj_reuse_evidence *e, uint64_t blocks)
{
    return dj_advice_saved_by_density(e, blocks, packed(e));
}

const dj_advice_rule dj_rule_pool = {.name = "pool",
                                     .whole_run = true,
                                     .applies = pool_applies,
                                     .outer_loop = carrier,
                                     .say = say_pool,
                                     .about = DJ_ABOUT_DATA,
                                     .saves = pool_saves,
                                     .state = state_used};
