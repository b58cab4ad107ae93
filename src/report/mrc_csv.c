// SPDX-License-Identifier: MIT
#include <inttypes.h>

#include "profile/json.h"
#include "report/mrc.h"

void dj_mrc_csv(const dj_mrc_report *report, FILE *out)
{
    const dj_lane_profile *lane = &report->profile->lanes[0];
    fputs("model,unit,size,sets,ways,misses,ratio,miss_bytes,byte_ratio\n", out);
    for (size_t i = 0; i < report->point_count; i++) {
        const dj_mrc_point *point = &report->points[i];
        fprintf(out, "lru,%s,%" PRIu64 ",1,%" PRIu64 ",%" PRIu64 ",%.17g,,\n",
                report->profile->provenance.unit, point->size, point->size, point->misses, point->ratio);
    }
    for (size_t i = 0; report->sets && i < report->point_count; i++) {
        const dj_mrc_cache *cache = &report->sets[i];
        fprintf(out, "smith,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.17g,%.17g,,\n",
                report->profile->provenance.unit, cache->size_blocks, cache->sets, cache->ways,
                cache->estimate.misses, cache->estimate.ratio);
    }
    for (size_t i = 0; i < dj_lane_simulated_count(lane); i++) {
        const dj_simulated *cache = &dj_lane_simulated(lane)[i];
        fprintf(out, "simulated-%s,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.17g,,\n",
                dj_policy_names[cache->policy], report->profile->provenance.unit, cache->size_blocks,
                cache->sets, cache->ways, cache->misses, (double)cache->misses / (double)lane->accesses);
    }
    for (size_t i = 0; i < report->byte_count; i++) {
        const dj_byte_point *point = &report->byte_points[i];
        fprintf(out, "lru,byte,%" PRIu64 ",1,,%" PRIu64 ",%.17g,%" PRIu64 ",%.17g\n", point->size_bytes,
                point->misses, point->ratio, point->miss_bytes, point->byte_ratio);
    }
}
