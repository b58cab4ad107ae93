// SPDX-License-Identifier: MIT
#include "observe/joint/turns.h"

#include <stdlib.h>

#include "base/fine_bins.h"

void dj_turn_counts_add(dj_turn_counts *t, uint64_t number, uint64_t position)
{
    for (unsigned k = 0; k < DJ_TURN_LEVELS && (number & ((UINT64_C(1) << k) - 1)) == 0; k++) {
        if (number > 0) {
            const uint64_t others = position - t->last[k] - (UINT64_C(1) << k);
            const uint64_t bin = dj_fine_bin(others, DJ_TURN_BITS);
            struct dj_turn_bin *to = &t->bins[k][bin < DJ_TURN_BINS ? bin : DJ_TURN_BINS - 1];
            to->windows++;
            to->others += others;
        }
        t->last[k] = position;
    }
}

int dj_turn_counts_finish(const dj_turn_counts *t, dj_context *context, dj_joint_sharer *out)
{
    size_t count = 0;
    for (unsigned k = 0; k < DJ_TURN_LEVELS; k++)
        for (unsigned i = 0; i < DJ_TURN_BINS; i++)
            count += t->bins[k][i].windows > 0;
    out->turns = malloc((count + 1) * sizeof *out->turns);
    if (!out->turns)
        return dj_fail_memory(context, "observer joint", count * sizeof *out->turns);
    for (unsigned k = 0; k < DJ_TURN_LEVELS; k++)
        for (unsigned i = 0; i < DJ_TURN_BINS; i++)
            if (t->bins[k][i].windows > 0)
                out->turns[out->turn_count++] =
                    (dj_joint_turn){UINT64_C(1) << k, t->bins[k][i].windows, t->bins[k][i].others};
    return DJ_OK;
}
