// SPDX-License-Identifier: MIT
#include "observe/rounding.h"

#include "base/histogram/histogram.h"
#include "base/sample.h"

int dj_histogram_round(dj_context *context, dj_histogram **histogram)
{
    dj_histogram *rounded = NULL;
    int err = dj_histogram_create(context, &rounded);
    if (!err)
        dj_histogram_limit(rounded, UINT64_C(2) << DJ_SAMPLE_DIGITS);
    for (uint64_t at = 0, n; !err && (n = dj_histogram_next(*histogram, &at)) != 0; at++)
        err = dj_histogram_add(rounded, context, dj_sample_round(at), n);
    if (err) {
        dj_histogram_destroy(rounded);
        return err;
    }
    dj_histogram_destroy(*histogram);
    *histogram = rounded;
    return DJ_OK;
}

uint64_t dj_histogram_bytes_ahead(const dj_histogram *histogram)
{
    return 3 * histogram->footprint.bytes;
}
