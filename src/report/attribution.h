// SPDX-License-Identifier: MIT
// The parts of the report of an attribution.
#ifndef DEJA_REPORT_ATTRIBUTION_H
#define DEJA_REPORT_ATTRIBUTION_H

#include <deja/report.h>
#include <deja/reuse.h>

typedef struct dj_attribution_page {
    const dj_profile *profile;
    const dj_attribution *a;
    const dj_report_style *style;
    FILE *out;
} dj_attribution_page;

// At most `top` entities, and what the others come to.
void dj_page_table(const dj_attribution_page *page, const dj_breakdown *b, size_t top);
int dj_page_tree(dj_context *context, const dj_attribution_page *page, const dj_breakdown *b, size_t top);
int dj_page_reuses(dj_context *context, const dj_attribution_page *page, const dj_reuses *reuses, size_t top);
// Which modules lack debug information, where it matters.
int dj_page_advise_debug(dj_context *context, const dj_attribution_page *page);

// What tables are sorted by: "L2 misses", "accesses". Valid until the next call with the same `to`.
enum { DJ_MEASURE = 64 };
const char *dj_page_measure(const dj_attribution_page *page, size_t sort_cut, char to[DJ_MEASURE]);

// "… and 12 more, 3.4% of the L2 misses", when there are more.
void dj_page_print_rest(const dj_attribution_page *page, size_t more, uint64_t part, uint64_t whole,
                        const char *measure);

#endif
