// SPDX-License-Identifier: MIT
// The conclusion from the scores, in one or two sentences.
#include "base/human.h"
#include "report/parts.h"
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

// What the bursts of an estimate do not show; NULL: nothing that matters.
static const char *name_unknown(const dj_spatial_page *page, const char *which)
{
    const size_t pair = page->options.pair;
    if (!dj_spatial_is_estimate(page->spatial))
        return NULL;
    const dj_spatial_range share = dj_spatial_far_share(page, pair), score = dj_spatial_far_range(page, pair);
    char low[DJ_HUMAN_BYTES], high[DJ_HUMAN_BYTES];
    if (share.high < SHARE_LEAST || !dj_spatial_is_wide(score))
        return NULL;
    return dj_document_format(
        page->document,
        "Between %s and %s of the reuses %s, and the range of their score is too wide to be useful: the "
        "bursts are too few, or too short for such distances; %s.",
        dj_human_share(low, share.low, 1), dj_human_share(high, share.high, 1), which,
        dj_name_more_bursts(page->document, page->profile));
}

const char *dj_spatial_verdict(const dj_spatial_page *page)
{
    dj_document *document = page->document;
    dj_spatial_count bins[DJ_SPATIAL_BINS];
    dj_spatial_counts counts = dj_spatial_pair_counts(&page->spatial->pairs[page->options.pair], bins);
    dj_spatial_count all = dj_spatial_all(&counts), far = dj_spatial_far(&counts, &page->options);
    if (all.reuses == 0)
        return NULL;
    double score = far.reuses ? dj_spatial_score(far.reuses, far.effective) : 0;
    char share[DJ_HUMAN_BYTES], idle[DJ_HUMAN_BYTES];
    dj_human_share(share, (double)far.reuses, (double)all.reuses);
    const char *block = name_double(page), *which = "are long";
    if (page->options.cache < page->spatial->cache_count)
        which = dj_document_format(document, "miss in %s", dj_spatial_far_name(page));
    const char *text = name_unknown(page, which);
    if (!text && (double)far.reuses < SHARE_LEAST * (double)all.reuses)
        text = dj_document_format(document,
                                  "Hardly any reuses %s: there is little to gain at this block size.", which);
    else if (!text && score > page->options.limits.good)
        text = dj_document_format(
            document,
            "%s of the reuses %s, and both halves of their blocks of %s are used: there is little to gain at "
            "this block size.",
            share, which, block);
    else if (!text)
        text = dj_document_format(document,
                                  "%s of the reuses %s. For %s of these, the other half of their block of %s "
                                  "is not used in time. %s",
                                  share, which, dj_human_share(idle, 1 - score, 1), block, name_where(page));
    return text;
}

void dj_add_spatial_verdict(const dj_spatial_page *page)
{
    const char *text = dj_spatial_verdict(page);
    if (text)
        dj_document_say(page->document, DJ_TEXT_SENTENCES, INDENT, "%s", text)->gap = true;
}
