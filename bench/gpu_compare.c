// SPDX-License-Identifier: MIT
#include <inttypes.h>

#include "bench/gpu.h"

int gpu_compare_histograms(dj_context *context, const dj_histogram *right, uint64_t right_cold,
                           const dj_histogram *got, uint64_t got_cold)
{
    if (right_cold != got_cold)
        return dj_fail(context, DJ_ERR_INPUT, "%" PRIu64 " first accesses, not %" PRIu64, got_cold,
                       right_cold);
    for (uint64_t v = 0, w = 0;; v++, w++) {
        uint64_t n = dj_histogram_next(right, &v);
        uint64_t m = dj_histogram_next(got, &w);
        if (n == 0 && m == 0)
            return DJ_OK;
        if (n == m && v == w)
            continue;
        uint64_t at = m == 0 || (n != 0 && v < w) ? v : w;
        return dj_fail(context, DJ_ERR_INPUT, "distance %" PRIu64 " came %" PRIu64 " times, not %" PRIu64, at,
                       m && w == at ? m : 0, n && v == at ? n : 0);
    }
}

int gpu_agree(gpu_bench *bench, dj_context *context, const char *part, dj_histogram *got, uint64_t cold)
{
    if (!bench->exact) {
        bench->exact = got;
        bench->cold = cold;
        return DJ_OK;
    }
    int err = gpu_compare_histograms(context, bench->exact, bench->cold, got, cold);
    dj_histogram_destroy(got);
    if (err != DJ_OK) {
        dj_fail_within(context, err, "%s differs from what was measured before it", part);
        gpu_wrong(bench, context);
    }
    return DJ_OK;
}
