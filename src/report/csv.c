// SPDX-License-Identifier: MIT
#include <deja/report.h>

#include <inttypes.h>
#include <stdlib.h>

#include "report/csv.h"

void dj_csv_text(const char *text, FILE *out)
{
    fputc('"', out);
    for (const char *at = text; *at; at++)
        fprintf(out, *at == '"' ? "\"%c" : "%c", *at);
    fputc('"', out);
}

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

static void print_address(const dj_key_profile *keys, size_t i, FILE *out)
{
    if (keys->list_device)
        fprintf(out, "%" PRIu64 ",", keys->list_device[i]);
    fprintf(out, "%" PRIu64, keys->list_key[i]);
}

void dj_report_csv_addresses(const dj_key_profile *keys, FILE *out)
{
    fputs(keys->list_device ? "device,key,access,distance\n" : "key,access,distance\n", out);
    for (size_t i = 0; i < keys->list_count; i++) {
        print_address(keys, i, out);
        fputs(",1,\n", out);
        for (uint64_t at = keys->list_offset[i]; at < keys->list_offset[i + 1]; at++) {
            print_address(keys, i, out);
            fprintf(out, ",%" PRIu64 ",%" PRIu64 "\n", at - keys->list_offset[i] + 2,
                    keys->list_distances[at]);
        }
    }
}
