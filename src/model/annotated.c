// SPDX-License-Identifier: MIT
#include "model/annotated.h"

#include <math.h>
#include <stdlib.h>

// A place counts for its own line, and for every line into which that line was inlined.
typedef struct entry {
    uint32_t file, line, inlined, place;
} entry;

static int compare(const void *x, const void *y)
{
    const entry *p = x, *q = y;
    if (p->file != q->file)
        return p->file < q->file ? -1 : 1;
    if (p->line != q->line)
        return p->line < q->line ? -1 : 1;
    uint32_t own_first = p->inlined + 1, other = q->inlined + 1;
    if (own_first != other)
        return own_first < other ? -1 : 1;
    return p->place < q->place ? -1 : p->place > q->place;
}

// Fills `entries`; only counts them if it is NULL.
static size_t collect(const dj_attribution *a, entry *entries)
{
    size_t count = 0;
    for (size_t i = 0; i < a->place_count; i++) {
        const dj_site_row *site = &a->sites[a->places[i].site];
        entry e = {site->file, site->line, DJ_NOWHERE, (uint32_t)i};
        uint32_t function = site->function;
        for (uint32_t frame = site->inlined;; frame = a->inlined[frame].inlined) {
            if (e.file != DJ_NOWHERE && entries)
                entries[count] = e;
            count += e.file != DJ_NOWHERE;
            if (frame == DJ_NOWHERE)
                break;
            e = (entry){a->inlined[frame].file, a->inlined[frame].line, function, (uint32_t)i};
            function = a->inlined[frame].function;
        }
    }
    return count;
}

static uint64_t heat_of(const dj_annotated *listing, const dj_tally *tally)
{
    const dj_attribution *a = listing->attribution;
    if (listing->cut >= a->cut_count)
        return tally->accesses;
    return (uint64_t)llround(dj_tally_misses(tally, a, a->cuts[listing->cut].blocks));
}

static bool same_row(const entry *p, const entry *q)
{
    return p->file == q->file && p->line == q->line && p->inlined == q->inlined;
}

// Sums up entries of the same row. A place occurs twice in a row if a function is inlined into itself, and
// counts once.
static int sum_up(dj_context *context, dj_annotated *listing, const entry *entries, size_t count)
{
    int err = DJ_OK;
    for (size_t i = 0; !err && i < count; i++) {
        bool fresh = i == 0 || !same_row(&entries[i - 1], &entries[i]);
        if (!fresh && entries[i - 1].place == entries[i].place)
            continue;
        if (fresh)
            listing->rows[listing->row_count++] = (dj_annotated_row){
                .file = entries[i].file, .line = entries[i].line, .inlined = entries[i].inlined};
        err = dj_tally_add(&listing->rows[listing->row_count - 1].tally, context,
                           &listing->attribution->places[entries[i].place].tally);
    }
    return err;
}

static int hottest_first(const void *x, const void *y)
{
    const dj_annotated_file *p = x, *q = y;
    if (p->heat != q->heat)
        return p->heat > q->heat ? -1 : 1;
    return p->file < q->file ? -1 : p->file > q->file;
}

static void group(dj_annotated *listing)
{
    for (size_t i = 0; i < listing->row_count; i++) {
        dj_annotated_row *row = &listing->rows[i];
        if (i == 0 || row->file != row[-1].file)
            listing->files[listing->file_count++] = (dj_annotated_file){.file = row->file, .rows = row};
        dj_annotated_file *file = &listing->files[listing->file_count - 1];
        row->heat = heat_of(listing, &row->tally);
        file->row_count++;
        file->heat += row->inlined == DJ_NOWHERE ? row->heat : 0;
    }
    qsort(listing->files, listing->file_count, sizeof *listing->files, hottest_first);
}

int dj_annotated_create(dj_context *context, const dj_attribution *a, dj_annotated **out)
{
    size_t count = collect(a, NULL);
    entry *entries = calloc(count + 1, sizeof *entries);
    dj_annotated *listing = calloc(1, sizeof *listing);
    int err = DJ_OK;
    if (!entries || !listing)
        goto fail;
    listing->attribution = a;
    listing->cut = dj_attribution_sort_cut(a);
    listing->rows = calloc(count + 1, sizeof *listing->rows);
    listing->files = calloc(a->file_count + 1, sizeof *listing->files);
    if (!listing->rows || !listing->files)
        goto fail;
    collect(a, entries);
    qsort(entries, count, sizeof *entries, compare);
    err = sum_up(context, listing, entries, count);
    if (err)
        goto fail;
    group(listing);
    for (size_t i = 0; i < a->place_count; i++)
        listing->heat += heat_of(listing, &a->places[i].tally);
    free(entries);
    *out = listing;
    return DJ_OK;
fail:
    free(entries);
    dj_annotated_destroy(listing);
    return err ? err : dj_fail_memory(context, "costs by line", count * sizeof *entries);
}

void dj_annotated_destroy(dj_annotated *listing)
{
    if (!listing)
        return;
    for (size_t i = 0; i < listing->row_count; i++)
        dj_tally_free(&listing->rows[i].tally);
    free(listing->rows);
    free(listing->files);
    free(listing);
}

bool dj_annotated_is_hot(const dj_annotated *listing, uint64_t heat)
{
    return heat > 0 && (double)heat >= DJ_ANNOTATED_HOT * (double)listing->heat;
}
