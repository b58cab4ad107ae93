// SPDX-License-Identifier: MIT
// Sums of bursts in summaries.
#include "observe/bursts/sums.h"

#include <math.h>
#include <string.h>

static void save_real(dj_packer *to, double real)
{
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    dj_pack_number(to, bits);
}

static int load_real(dj_context *context, dj_unpacker *from, double *real)
{
    uint64_t bits = 0;
    int err = dj_unpack_number(from, context, &bits);
    memcpy(real, &bits, sizeof bits);
    if (!err && !isfinite(*real))
        return dj_fail(context, DJ_ERR_INPUT, "a sum over the bursts of a sample is not a number");
    return err;
}

// Distances that occurred, and how often; 0 ends the list.
static void save_distances(dj_packer *to, const dj_burst_sums *s, const uint64_t *counts)
{
    uint64_t next = 0;
    for (uint64_t d = 0; d < s->distances; d++)
        if (counts[d] > 0) {
            dj_pack_number(to, d - next + 1);
            dj_pack_number(to, counts[d]);
            next = d + 1;
        }
    dj_pack_number(to, 0);
}

static int load_distances(dj_context *context, dj_unpacker *from, dj_burst_sums *s, uint64_t *counts)
{
    for (uint64_t next = 0, gap, n;;) {
        int err = dj_unpack_below(from, context, s->distances - next, "a distance in a burst", &gap);
        if (err || gap == 0)
            return err;
        err = dj_unpack_number(from, context, &n);
        if (!err && __builtin_add_overflow(s->weighted, n, &s->weighted))
            err = dj_fail(context, DJ_ERR_INPUT, "bursts of a sample have too many accesses");
        if (err)
            return err;
        counts[next + gap - 1] = n;
        next += gap;
    }
}

void dj_burst_sums_save(const dj_burst_sums *s, dj_packer *to)
{
    dj_pack_number(to, s->bursts);
    dj_pack_number(to, s->accesses);
    dj_pack_number(to, s->cold);
    save_real(to, s->squares);
    save_real(to, s->lengths);
    for (unsigned end = 0; end < DJ_BURST_ENDS; end++)
        for (unsigned i = 0; i < DJ_BURST_SIZES; i++) {
            save_real(to, s->misses[end][i]);
            save_real(to, s->mixed[end][i]);
        }
    save_distances(to, s, s->reuses);
    save_distances(to, s, s->unknown);
}

int dj_burst_sums_load(dj_burst_sums *s, dj_context *context, dj_unpacker *from)
{
    int err = dj_unpack_number(from, context, &s->bursts);
    if (!err)
        err = dj_unpack_number(from, context, &s->accesses);
    if (!err)
        err = dj_unpack_number(from, context, &s->cold);
    if (!err)
        err = load_real(context, from, &s->squares);
    if (!err)
        err = load_real(context, from, &s->lengths);
    for (unsigned i = 0; !err && i < DJ_BURST_ENDS * DJ_BURST_SIZES; i++) {
        err = load_real(context, from, &s->misses[i / DJ_BURST_SIZES][i % DJ_BURST_SIZES]);
        if (!err)
            err = load_real(context, from, &s->mixed[i / DJ_BURST_SIZES][i % DJ_BURST_SIZES]);
    }
    s->weighted = s->cold;
    if (!err)
        err = load_distances(context, from, s, s->reuses);
    if (!err)
        err = load_distances(context, from, s, s->unknown);
    if (!err && (s->bursts > s->accesses || s->accesses > s->weighted || s->weighted > UINT64_MAX / 4))
        err = dj_fail(context, DJ_ERR_INPUT, "the bursts of a sample do not add up");
    return err;
}
