// SPDX-License-Identifier: MIT
#include "observe/joint/positions.h"

#include <stdlib.h>

int dj_positions_create(dj_positions *p, dj_context *context)
{
    *p = (dj_positions){.bins = calloc(DJ_POSITION_BINS, sizeof *p->bins)};
    return p->bins ? DJ_OK
                   : dj_fail_memory(context, "positions of accesses", DJ_POSITION_BINS * sizeof *p->bins);
}

void dj_positions_free(dj_positions *p)
{
    free(p->bins);
    p->bins = NULL;
}

void dj_positions_widen(dj_positions *p, uint64_t position)
{
    for (; position >> p->shift >= DJ_POSITION_BINS; p->shift++) {
        for (uint32_t i = 0; i < DJ_POSITION_BINS / 2; i++) {
            const struct dj_position_bin left = p->bins[2 * i], right = p->bins[2 * i + 1];
            p->bins[i] = (struct dj_position_bin){left.count + right.count, left.sum + right.sum};
        }
        for (uint32_t i = DJ_POSITION_BINS / 2; i < DJ_POSITION_BINS; i++)
            p->bins[i] = (struct dj_position_bin){0, 0};
    }
}

int dj_positions_histogram(const dj_positions *p, dj_context *context, uint64_t end, dj_histogram **out)
{
    int err = dj_histogram_create(context, out);
    for (uint32_t i = 0; !err && i < DJ_POSITION_BINS; i++) {
        const struct dj_position_bin bin = p->bins[i];
        if (bin.count == 0)
            continue;
        const uint64_t sum = end ? bin.count * end - bin.sum : bin.sum + bin.count;
        const uint64_t mean = sum / bin.count, above = sum % bin.count;
        err = dj_histogram_add(*out, context, mean, bin.count - above);
        if (!err && above)
            err = dj_histogram_add(*out, context, mean + 1, above);
    }
    return err;
}
