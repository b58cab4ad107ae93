// SPDX-License-Identifier: MIT
#include <deja/report.h>

#include <inttypes.h>
#include <stdlib.h>

int dj_report_csv_histogram(dj_context *context, const dj_lane_profile *lane, enum dj_binning binning,
                            uint64_t bin_width, FILE *out)
{
    dj_bin *bins = NULL;
    size_t count = 0;
    int err = dj_histogram_bins(lane->distance, context, binning, bin_width, &bins, &count);
    if (err != DJ_OK)
        return err;
    fputs("lo,hi,count\n", out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", bins[i].lo, bins[i].hi, bins[i].count);
    fprintf(out, ",,%" PRIu64 "\n", lane->cold);
    free(bins);
    return DJ_OK;
}

void dj_report_csv_addresses(const dj_key_profile *keys, FILE *out)
{
    fputs("key,access,distance\n", out);
    for (size_t i = 0; i < keys->list_count; i++) {
        fprintf(out, "%" PRIu64 ",1,\n", keys->list_key[i]);
        for (uint64_t at = keys->list_offset[i]; at < keys->list_offset[i + 1]; at++)
            fprintf(out, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", keys->list_key[i],
                    at - keys->list_offset[i] + 2, keys->list_distances[at]);
    }
}
