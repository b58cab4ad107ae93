// SPDX-License-Identifier: MIT
// The cheapest division into pairs: best[S] is that of the items in S. The lowest item of S is alone, or has
// one of the others as its partner.
#include <deja/corun.h>

#include <math.h>
#include <stdlib.h>

// The partner of the lowest item of a subset.
static size_t best_partner(const double *cost, size_t count, const double *best, uint32_t subset)
{
    const size_t lowest = (size_t)__builtin_ctz(subset);
    const uint32_t rest = subset & (subset - 1);
    const bool odd = __builtin_popcount(subset) % 2 == 1;
    size_t partner = lowest;
    double least = odd ? best[rest] + cost[lowest * count + lowest] : INFINITY;
    for (uint32_t left = rest; left != 0; left &= left - 1) {
        const size_t k = (size_t)__builtin_ctz(left);
        const double sum = best[rest & ~(UINT32_C(1) << k)] + cost[lowest * count + k];
        if (sum < least) {
            least = sum;
            partner = k;
        }
    }
    return partner;
}

int dj_corun_pair(dj_context *context, const double *cost, size_t count, size_t *partner, double *total)
{
    if (count > DJ_CORUN_PAIRED)
        return dj_fail(context, DJ_ERR_USAGE, "at most %d sharers can be paired, not %zu", DJ_CORUN_PAIRED,
                       count);
    const uint32_t all = (UINT32_C(1) << count) - 1;
    double *best = malloc(((size_t)all + 1) * sizeof *best);
    if (!best)
        return dj_fail_memory(context, "pairs of sharers", ((size_t)all + 1) * sizeof *best);
    best[0] = 0;
    for (uint32_t subset = 1; subset <= all; subset++) {
        const size_t lowest = (size_t)__builtin_ctz(subset), k = best_partner(cost, count, best, subset);
        best[subset] =
            best[subset & ~(UINT32_C(1) << lowest) & ~(UINT32_C(1) << k)] + cost[lowest * count + k];
    }
    *total = best[all];
    for (uint32_t subset = all; subset != 0;) {
        const size_t lowest = (size_t)__builtin_ctz(subset), k = best_partner(cost, count, best, subset);
        partner[lowest] = k;
        partner[k] = lowest;
        subset &= ~(UINT32_C(1) << lowest) & ~(UINT32_C(1) << k);
    }
    free(best);
    return DJ_OK;
}
