// SPDX-License-Identifier: MIT
// Wording that spatial advice texts share: the evidence before the advice, and the saving after it.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/gcd.h"
#include "model/spatial/advice.h"

const char *dj_spatial_units(const dj_spatial_evidence *e)
{
    return e->profile->provenance.unit_bytes == 1 ? "bytes" : "elements";
}

void dj_spatial_say_count(uint64_t value, FILE *out)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, value);
    for (int i = 0; i < length; i++)
        fprintf(out, "%s%c", i > 0 && (length - i) % 3 == 0 ? "," : "", digits[i]);
}

static void say_size(const dj_spatial_evidence *e, uint64_t bytes, FILE *out)
{
    static const char letters[] = "KMGT";
    int power = -1;
    while (bytes >= 1024 && bytes % 1024 == 0 && power + 1 < (int)sizeof letters - 1) {
        bytes /= 1024;
        power++;
    }
    dj_spatial_say_count(bytes, out);
    if (power >= 0)
        fputc(letters[power], out);
    else
        fprintf(out, " %s", dj_spatial_units(e));
}

void dj_spatial_say_loop(const dj_spatial_evidence *e, uint32_t loop, FILE *out)
{
    fputs(dj_names_loop_has_lines(&e->work->names, loop) ? "loop " : "", out);
    dj_names_put_loop(&e->work->names, loop, out);
}

void dj_spatial_say_data(const dj_spatial_evidence *e, uint32_t object, const char *element, FILE *out)
{
    dj_names_put_data(&e->work->names, object, element, out);
}

// The report names the line and the data before this text.
static void say_steps(const dj_spatial_evidence *e, FILE *out)
{
    if (!e->regular) {
        fputs("Accesses are in no regular order", out);
        return;
    }
    fputs("Accesses step by ", out);
    dj_spatial_say_count(dj_magnitude(e->stride), out);
    fprintf(out, " %s%s", dj_spatial_units(e), e->stride < 0 ? ", backwards" : "");
    if (e->share < 0.995)
        fprintf(out, " (%.0f%% of the steps)", 100 * e->share);
}

static void say_use(const dj_spatial_evidence *e, FILE *out)
{
    bool whole = e->used >= 9.95 || e->used <= (double)(uint64_t)e->used;
    fprintf(out,
            ", and %.*f of the %" PRIu64
            " %s of each fetched block are used before its eviction from a cache of ",
            whole ? 0 : 1, e->used, e->block, dj_spatial_units(e));
    say_size(e, e->cache, out);
    fputs(". ", out);
}

void dj_spatial_say_steps(const dj_spatial_evidence *e, FILE *out)
{
    say_steps(e, out);
    say_use(e, out);
}

// Excludes what is saved already: hits of other lines of the loop in the blocks that this line fetches.
void dj_spatial_say_saved(const dj_spatial_evidence *e, FILE *out)
{
    const dj_spatial *spatial = dj_profile_spatial(e->profile);
    size_t cache = e->work->options->cache == SIZE_MAX ? 0 : e->work->options->cache;
    if (e->row->saved == 0 || cache >= spatial->cache_count)
        return;
    uint64_t together = e->unsaved > 0 ? (uint64_t)e->unsaved / 2 : 0;
    uint64_t saved = together < e->row->saved ? together : e->row->saved;
    if (saved == 0) {
        fputs(" Other lines of the loop already use the other halves of these blocks.", out);
        return;
    }
    fputs(" A score of 1 would save ", out);
    dj_spatial_say_count(saved, out);
    fprintf(out, " %s in %s.", saved == 1 ? "miss" : "misses", spatial->caches[cache].name);
}
