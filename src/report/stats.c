// SPDX-License-Identifier: MIT
#include "report/stats.h"

#include <inttypes.h>

#include "report/csv.h"

const char dj_stats_rule[] =
    "median reuse distance relative to the distinct blocks, then the mean likewise; lower is "
    "better, no reuse is worst";

void dj_stats_rank(dj_trace_stats *traces, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        dj_locality own = dj_temporal_locality(&traces[i].profile->lanes[0]);
        traces[i].rank = 1;
        for (size_t j = 0; j < count; j++) {
            dj_locality other = dj_temporal_locality(&traces[j].profile->lanes[0]);
            int order = dj_locality_compare(&other, &own);
            traces[i].rank += order < 0 || (order == 0 && j < i);
        }
    }
}

void dj_stats_csv(const dj_trace_stats *traces, size_t count, FILE *out)
{
    fputs("trace,accesses,distinct,mean_access_count,median_access_count,std_access_count,max_access_count,"
          "no_reuse,"
          "mean_distance,median_distance,std_distance,min_distance,max_distance,pairs,near_blocks,within,"
          "mean_stride,"
          "median_stride,seconds,rank,partial\n",
          out);
    for (size_t i = 0; i < count; i++) {
        const dj_profile *profile = traces[i].profile;
        const dj_lane_profile *lane = &profile->lanes[0];
        dj_moments uses = dj_histogram_moments(dj_lane_keys(lane)->access_counts),
                   distance = dj_lane_moments(lane),
                   stride = dj_histogram_moments(dj_lane_strides(lane)->stride);
        dj_csv_text(profile->provenance.inputs[0], out);
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%.17g,%.17g,%.17g,%" PRIu64 ",%" PRIu64, lane->accesses,
                lane->distinct, uses.mean, uses.median, uses.std, uses.max, dj_lane_keys(lane)->single_use);
        if (distance.count > 0)
            fprintf(out, ",%.17g,%.17g,%.17g,%" PRIu64 ",%" PRIu64, distance.mean, distance.median,
                    distance.std, distance.min, distance.max);
        else
            fputs(",,,,,", out);
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, dj_lane_strides(lane)->pairs,
                dj_lane_strides(lane)->near_blocks, dj_lane_strides(lane)->within);
        if (stride.count > 0)
            fprintf(out, ",%.17g,%.17g", stride.mean, stride.median);
        else
            fputs(",,", out);
        fprintf(out, ",%.6f,%zu,%d\n", traces[i].seconds, traces[i].rank, profile->provenance.partial);
    }
}
