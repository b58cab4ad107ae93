// SPDX-License-Identifier: MIT
#include "session/follow.h"

#include <stdlib.h>
#include <string.h>

#include "measure/names.h"

int dj_follower_create(dj_worker *w, dj_source *inner, const char *symbols, dj_follower *out)
{
    *out = (dj_follower){0};
    if (strcmp(dj_source_get_info(inner)->format, "valgrind") != 0)
        return DJ_OK;
    dj_loops_options options = {0};
    int err = dj_symbols_create_searching(w->context, symbols, true, &out->symbols);
    if (!err)
        dj_symbols_use_flow_only(out->symbols);
    if (!err)
        err = dj_stream_keep_route(w->stream, w->context, &options.route);
    if (!err) {
        options.lookup = dj_lookup_symbols(out->symbols);
        err = dj_loops_create(w->context, &options, &out->loops);
    }
    if (!err)
        err = dj_loops_source(w->context, out->loops, inner, &out->source);
    if (err)
        dj_follower_destroy(out);
    return err;
}

void dj_follower_destroy(dj_follower *f)
{
    dj_source_close(f->source);
    dj_loops_destroy(f->loops);
    dj_symbols_destroy(f->symbols);
    *f = (dj_follower){0};
}
