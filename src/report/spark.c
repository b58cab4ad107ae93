// SPDX-License-Identifier: MIT
#include "report/spark.h"

#include <string.h>

const char *dj_spark(char *to, const dj_report_style *style, const dj_attribution *a, const dj_tally *tally,
                     uint64_t max)
{
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const marks[] = {"_", ".", ":", "-", "=", "+", "*", "#"};
    enum { LEVELS = 7 };
    uint64_t heights[DJ_SPARK] = {0}, most = 0;
    unsigned octaves = dj_log2_bin(max) + 1;
    for (uint32_t i = 0; i < tally->bin_count; i++) {
        unsigned octave = dj_log2_bin(a->edges[tally->bin_first + i]);
        unsigned column = octave * DJ_SPARK / octaves;
        heights[column < DJ_SPARK ? column : DJ_SPARK - 1] += tally->bins[i];
    }
    for (unsigned i = 0; i < DJ_SPARK; i++)
        most = heights[i] > most ? heights[i] : most;
    char *at = to;
    for (unsigned i = 0; i < DJ_SPARK; i++) {
        double share = most > 0 ? (double)heights[i] / (double)most : 0;
        unsigned level = (unsigned)(share * LEVELS + 0.5);
        level = heights[i] > 0 && level == 0 ? 1 : level;
        const char *mark = (style->unicode ? blocks : marks)[level];
        at = mempcpy(at, mark, strlen(mark));
    }
    *at = 0;
    return to;
}
