// SPDX-License-Identifier: MIT
#include "report/figure.h"
#include "report/paragraph.h"
#include "report/spatial.h"

enum { INDENT = 2 };
// Below this share of the reuses the long ones do not matter, whatever their score.
#define SHARE_LEAST 0.01

// "64 B", "2 keys".
static const char *name_double(char to[DJ_SPATIAL_TEXT], const dj_spatial_page *page)
{
    const dj_provenance *made = &page->profile->provenance;
    uint64_t block = 2 * page->spatial->pairs[page->options.pair].block_bytes;
    char size[DJ_FIGURE];
    if (made->unit_bytes > 0)
        snprintf(to, DJ_SPATIAL_TEXT, "%s", dj_figure_bytes(size, block));
    else
        snprintf(to, DJ_SPATIAL_TEXT, "%s %.16ss", dj_figure_size(size, block), made->unit);
    return to;
}

static const char *name_where(const dj_spatial_page *page)
{
    return dj_spatial_has_places(page->profile)
               ? "Below are the worst loops and lines, and what may help, where it can be told."
               : "Below, components and map tell at which distances.";
}

void dj_page_verdict(const dj_spatial_page *page)
{
    dj_spatial_count bins[DJ_SPATIAL_BINS];
    dj_spatial_counts counts = dj_spatial_pair_counts(&page->spatial->pairs[page->options.pair], bins);
    dj_spatial_count all = dj_spatial_all(&counts), far = dj_spatial_far(&counts, &page->options);
    if (all.reuses == 0)
        return;
    double score = far.reuses ? dj_spatial_score(far.reuses, far.effective) : 0;
    char share[DJ_FIGURE], idle[DJ_FIGURE], block[DJ_SPATIAL_TEXT], which[DJ_SPATIAL_TEXT], text[512];
    dj_figure_share(share, (double)far.reuses, (double)all.reuses);
    name_double(block, page);
    if (page->options.cache < page->spatial->cache_count)
        snprintf(which, sizeof which, "miss in %.40s", dj_spatial_far_name(page));
    else
        snprintf(which, sizeof which, "are long");
    if ((double)far.reuses < SHARE_LEAST * (double)all.reuses)
        snprintf(text, sizeof text, "Hardly any reuses %s: at this size there is little to gain.", which);
    else if (score > page->options.limits.good)
        snprintf(
            text, sizeof text,
            "%s of the reuses %s, and find both halves of their %s used: at this size there is little to "
            "gain.",
            share, which, block);
    else
        snprintf(text, sizeof text,
                 "%s of the reuses %s; for %s of these the other half of their %s is not used in time. %s",
                 share, which, dj_figure_share(idle, 1 - score, 1), block, name_where(page));
    fputc('\n', page->out);
    dj_paragraph(page->out, page->style, text, INDENT);
}
