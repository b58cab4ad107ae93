// SPDX-License-Identifier: MIT
#include "view/histograms.h"

#include <deja/attribution.h>

#include "base/fine_bins.h"

enum { FINE_BITS = 9 };

static bool is_long(const dj_histogram *histogram, size_t most)
{
    size_t count = 0;
    for (uint64_t at = 0; dj_histogram_next(histogram, &at) != 0 && count <= most; at++)
        count++;
    return count > most;
}

// Whether a cache of a size above `from`, up to `to`, would be inside of a bin.
static bool is_divided(const dj_attribution *a, uint64_t from, uint64_t to)
{
    for (size_t i = 0; a && i < a->cut_count; i++)
        if (a->cuts[i].blocks > from && a->cuts[i].blocks <= to)
            return true;
    return false;
}

int dj_view_bin(dj_context *context, const dj_histogram *from, size_t most, const dj_attribution *a,
                dj_histogram **out)
{
    dj_histogram *to = NULL;
    uint64_t sum = 0, last = 0;
    *out = NULL;
    if (!is_long(from, most))
        return DJ_OK;
    int err = dj_histogram_create(context, &to);
    for (uint64_t at = 0, n; !err && (n = dj_histogram_next(from, &at)) != 0; at++) {
        const bool same =
            dj_fine_bin(at, FINE_BITS) == dj_fine_bin(last, FINE_BITS) && !is_divided(a, last, at);
        if (sum > 0 && !same) {
            err = dj_histogram_add(to, context, last, sum);
            sum = 0;
        }
        sum += n;
        last = at;
    }
    if (!err && sum > 0)
        err = dj_histogram_add(to, context, last, sum);
    if (err)
        dj_histogram_destroy(to);
    else
        *out = to;
    return err;
}
