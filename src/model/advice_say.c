// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/advice.h"

static const char *const names[DJ_ADVICE_COUNT] = {
    "tile",      "interchange", "fuse",      "call together", "bring closer",    "initialize late",
    "recompute", "reorder",     "recursion", "same thread",   "recycled memory",
};

const char *dj_advice_name(enum dj_advice advice)
{
    return names[advice];
}

typedef struct speech {
    FILE *out;
    const dj_evidence *e;
    const dj_bond *bond;
    const dj_reuse *reuse;
} speech;

static void put_loop(const speech *s, uint32_t loop)
{
    char *name = dj_names_loop(s->e->names, loop);
    bool told = name && strncmp(name, "loop ", 5) == 0; // one without lines
    fprintf(s->out, "%s%s", told ? "" : "loop ", name ? name : "?");
    free(name);
}

static void put_thread(const speech *s, uint32_t place)
{
    char *name = dj_names_thread(s->e->names, s->e->a->contexts[s->e->a->places[place].context].thread);
    fputs(name ? name : "?", s->out);
    free(name);
}

static void put_call(const speech *s, const dj_context_row *frame)
{
    fprintf(s->out, "the call of %s", dj_names_function(s->e->names, frame->function));
    if (!dj_row_is(frame->call_site, s->e->a->site_count))
        return;
    char *site = dj_names_site(s->e->names, frame->call_site);
    fprintf(s->out, " at %s", site ? site : "?");
    free(site);
}

// Where a use happens: "loop x.c:1-2 in f", "the call of g at x.c:3", "x.c:4 in f".
static void put_side(const speech *s, uint32_t at, const char *name)
{
    if (at != DJ_NOWHERE && s->bond->relation == DJ_RELATION_SIBLINGS)
        put_loop(s, at);
    else if (at != DJ_NOWHERE && s->bond->relation == DJ_RELATION_CALLS)
        put_call(s, &s->e->a->contexts[at]);
    else
        fputs(name, s->out);
}

static void put_from(const speech *s)
{
    put_side(s, s->bond->from_at, s->reuse->from_name);
}

static void put_to(const speech *s)
{
    put_side(s, s->bond->to_at, s->reuse->to_name);
}

static void say_tile(const speech *s)
{
    fputs("Likely ", s->out);
    put_loop(s, s->reuse->outer_loop);
    fprintf(s->out,
            " sweeps %s again in each of its iterations. Tiling it may help: several iterations on a piece "
            "of the data that fits in the cache, then on the next piece.",
            s->reuse->data_name);
}

static void say_next_iteration(const speech *s)
{
    fprintf(s->out, "The last use of %s is in ", s->reuse->data_name);
    put_from(s);
    fputs(", the next in ", s->out);
    put_to(s);
    fputs(", one iteration of ", s->out);
    put_loop(s, s->reuse->loop);
    fputs(" later. Tiling that loop may help: several iterations on a piece of the data that fits in the "
          "cache, then on the next piece.",
          s->out);
}

static void say_interchange(const speech *s)
{
    fputs("The innermost ", s->out);
    put_loop(s, s->reuse->loop);
    fprintf(s->out, " steps across %s: it uses a part of each block, and likely ", s->reuse->data_name);
    put_loop(s, s->reuse->outer_loop);
    fputs(" comes back for the next part. Interchanging the two, so that the inner one goes along memory, "
          "may help; or turning the layout of the data around; or tiling both.",
          s->out);
}

static void say_fuse(const speech *s)
{
    fprintf(s->out, "One loop goes through %s, then another does: ", s->reuse->data_name);
    put_from(s);
    fputs(", then ", s->out);
    put_to(s);
    fputs(". Fusing the two, so that each piece is used by both while it is in the cache, may help, as "
          "long as the second needs no more than what the first has done by then.",
          s->out);
}

static void say_call_together(const speech *s)
{
    fprintf(s->out, "In each iteration of ");
    put_loop(s, s->reuse->loop);
    fputs(", ", s->out);
    put_from(s);
    fprintf(s->out, " uses %s, and later ", s->reuse->data_name);
    put_to(s);
    fputs(" does. Calling both on a piece of the data at a time, or one soon after the other, may help.",
          s->out);
}

static void say_closer(const speech *s)
{
    fputs("Both uses are in one iteration of ", s->out);
    put_loop(s, s->reuse->loop);
    fprintf(s->out, ", with much other data between them. Moving them closer together may help.");
}

static void say_initialize(const speech *s)
{
    put_from(s);
    fprintf(s->out, " initializes %s, and only much later ", s->reuse->data_name);
    put_to(s);
    fputs(" uses it for the first time. Initializing each piece just before it is used may help.", s->out);
}

static void say_recompute(const speech *s)
{
    fprintf(s->out, "No loop contains both uses of %s: ", s->reuse->data_name);
    put_from(s);
    fputs(", and later ", s->out);
    put_to(s);
    fputs(". Doing both while the data is in the cache, or computing it again instead of fetching it, "
          "may help.",
          s->out);
}

static void say_reorder(const speech *s)
{
    put_loop(s, s->reuse->loop);
    fprintf(s->out,
            " comes back to %s in an order that no loop around it explains. Sorting or bucketing its work, "
            "so that uses of the same part come together, may help; or making the data smaller.",
            s->reuse->data_name);
}

static void say_recursion(const speech *s)
{
    const dj_context_row *frame = &s->e->a->contexts[s->bond->frame];
    fprintf(s->out,
            "The recursion of %s comes back to %s. Finishing a part that fits in the cache before the next "
            "one is begun may help: depth first, with a larger base case.",
            dj_names_function(s->e->names, frame->function), s->reuse->data_name);
}

static void say_same_thread(const speech *s)
{
    put_thread(s, s->reuse->from);
    fprintf(s->out, " used %s last, and now ", s->reuse->data_name);
    put_thread(s, s->reuse->to);
    fputs(" does. Giving both uses of a piece to one thread, one soon after the other, may help.", s->out);
}

static void say_recycled(const speech *s)
{
    fprintf(s->out, "The memory was last used as %s, so it is the block that is reused, not the data: ",
            s->e->a->objects[s->reuse->from_object].name);
    fputs("it was given back and taken again, or the two lie next to each other. Taking memory again soon "
          "after it was given back may help, or allocating it once.",
          s->out);
}

static void say(const speech *s)
{
    static void (*const say_it[DJ_ADVICE_COUNT])(const speech *) = {
        say_tile,      say_interchange, say_fuse,      say_call_together, say_closer,   say_initialize,
        say_recompute, say_reorder,     say_recursion, say_same_thread,   say_recycled,
    };
    if (s->reuse->advice == DJ_ADVICE_TILE && s->bond->next_iteration)
        say_next_iteration(s);
    else
        say_it[s->reuse->advice](s);
}

// Names stay as they are.
static void begin_sentence(char *text)
{
    if (strncmp(text, "loop ", 5) == 0 || strncmp(text, "the call of ", 12) == 0)
        text[0] = (char)(text[0] - 'a' + 'A');
}

int dj_advice_say(dj_context *context, const dj_evidence *evidence, const dj_bond *bond, dj_reuse *reuse)
{
    size_t bytes = 0;
    speech s = {open_memstream(&reuse->text, &bytes), evidence, bond, reuse};
    if (!s.out)
        return dj_fail_memory(context, "advice", 0);
    say(&s);
    if (fclose(s.out) != 0 || !reuse->text)
        return dj_fail_memory(context, "advice", 0);
    begin_sentence(reuse->text);
    return DJ_OK;
}
