// SPDX-License-Identifier: MIT
// The conclusion from the scores, in one or two sentences.
#include "base/human.h"
#include "report/spatial/spatial.h"

enum { INDENT = 2 };
// Below this share of all reuses, long reuses do not matter whatever their score.
#define SHARE_LEAST 0.01

// "64 B", "2 keys".
static const char *name_double(const dj_spatial_page *page)
{
    const dj_provenance *made = &page->profile->provenance;
    uint64_t block = 2 * page->spatial->pairs[page->options.pair].block_bytes;
    char size[DJ_HUMAN_BYTES];
    if (made->unit_bytes > 0)
        return dj_document_copy(page->document, dj_human_bytes(size, block));
    return dj_document_format(page->document, "%s %ss", dj_human_size(size, block), made->unit);
}

static const char *name_where(const dj_spatial_page *page)
{
    return dj_spatial_has_places(page->profile)
               ? "The worst loops and lines are listed below, with advice where possible."
               : "The components and the map below show at which distances.";
}

void dj_add_spatial_verdict(const dj_spatial_page *page)
{
    dj_document *document = page->document;
    dj_spatial_count bins[DJ_SPATIAL_BINS];
    dj_spatial_counts counts = dj_spatial_pair_counts(&page->spatial->pairs[page->options.pair], bins);
    dj_spatial_count all = dj_spatial_all(&counts), far = dj_spatial_far(&counts, &page->options);
    if (all.reuses == 0)
        return;
    double score = far.reuses ? dj_spatial_score(far.reuses, far.effective) : 0;
    char share[DJ_HUMAN_BYTES], idle[DJ_HUMAN_BYTES];
    dj_human_share(share, (double)far.reuses, (double)all.reuses);
    const char *block = name_double(page), *which = "are long";
    if (page->options.cache < page->spatial->cache_count)
        which = dj_document_format(document, "miss in %s", dj_spatial_far_name(page));
    const char *text;
    if ((double)far.reuses < SHARE_LEAST * (double)all.reuses)
        text = dj_document_format(document,
                                  "Hardly any reuses %s: there is little to gain at this block size.", which);
    else if (score > page->options.limits.good)
        text = dj_document_format(
            document,
            "%s of the reuses %s, and both halves of their blocks of %s are used: there is little to gain at "
            "this block size.",
            share, which, block);
    else
        text = dj_document_format(document,
                                  "%s of the reuses %s. For %s of these, the other half of their block of %s "
                                  "is not used in time. %s",
                                  share, which, dj_human_share(idle, 1 - score, 1), block, name_where(page));
    dj_document_say(document, DJ_TEXT_SENTENCES, INDENT, "%s", text)->gap = true;
}
