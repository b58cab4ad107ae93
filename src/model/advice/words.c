// SPDX-License-Identifier: MIT
// Wording that advice texts share.
#include <stdlib.h>
#include <string.h>

#include "model/advice/advice.h"

void dj_reuse_say_loop(const dj_reuse_evidence *e, uint32_t loop, FILE *out)
{
    char *name = dj_names_loop(e->names, loop);
    bool prefixed = name && strncmp(name, "loop ", 5) == 0; // a loop without line numbers
    fprintf(out, "%s%s", prefixed ? "" : "loop ", name ? name : "?");
    free(name);
}

void dj_reuse_say_thread(const dj_reuse_evidence *e, uint32_t place, FILE *out)
{
    const dj_attribution *a = e->attribution;
    char *name = dj_names_thread(e->names, a->cct[a->places[place].cct_node].thread);
    fputs(name ? name : "?", out);
    free(name);
}

static void say_call(const dj_reuse_evidence *e, const dj_cct_node *frame, FILE *out)
{
    fprintf(out, "the call of %s", dj_names_function(e->names, frame->function));
    if (!dj_row_is(frame->call_site, e->attribution->site_count))
        return;
    char *site = dj_names_site(e->names, frame->call_site);
    fprintf(out, " at %s", site ? site : "?");
    free(site);
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
