// SPDX-License-Identifier: MIT
// Wording that advice texts share.
#include "model/advice/advice.h"

void dj_reuse_say_loop(const dj_reuse_evidence *e, uint32_t loop, FILE *out)
{
    fputs(dj_names_loop_has_lines(e->names, loop) ? "loop " : "", out);
    dj_names_put_loop(e->names, loop, out);
}

void dj_reuse_say_thread(const dj_reuse_evidence *e, uint32_t place, FILE *out)
{
    const dj_attribution *a = e->attribution;
    dj_names_put_thread(e->names, a->cct[a->places[place].cct_node].thread, out);
}

static void say_call(const dj_reuse_evidence *e, const dj_cct_node *frame, FILE *out)
{
    fprintf(out, "the call of %s", dj_names_function(e->names, frame->function));
    if (!dj_row_is(frame->call_site, e->attribution->site_count))
        return;
    fputs(" at ", out);
    dj_names_put_site(e->names, frame->call_site, out);
}

static void say_side(const dj_reuse_evidence *e, uint32_t at, const char *name, FILE *out)
{
    if (at != DJ_NOWHERE && e->reuse->relation == DJ_RELATION_SIBLINGS)
        dj_reuse_say_loop(e, at, out);
    else if (at != DJ_NOWHERE && e->reuse->relation == DJ_RELATION_CALLS)
        say_call(e, &e->attribution->cct[at], out);
    else
        fputs(name, out);
}

void dj_reuse_say_from(const dj_reuse_evidence *e, FILE *out)
{
    say_side(e, e->from_at, e->reuse->from_name, out);
}

void dj_reuse_say_to(const dj_reuse_evidence *e, FILE *out)
{
    say_side(e, e->to_at, e->reuse->to_name, out);
}
