// SPDX-License-Identifier: MIT
#include "observe/sample_slices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fine_bins.h"
#include "base/grow.h"
#include "base/pack.h"
#include "profile/sample_reach.h"

enum {
    SLICES = DJ_SAMPLE_SLICES,
    BIN_BITS = 4, // 16 sizes for each doubling have an error of their own
    BINS_MOST = 64 << BIN_BITS,
};

void dj_sample_slices_free(dj_sample_slices *s)
{
    free(s->reuses);
    *s = (dj_sample_slices){0};
}

static int reserve(dj_sample_slices *s, dj_context *context, size_t bins)
{
    if (bins <= s->count)
        return DJ_OK;
    int err = bins * SLICES <= s->capacity ? DJ_OK
                                           : dj_grow(context, "the slices of a sample", &s->reuses,
                                                     &s->capacity, bins * SLICES, sizeof *s->reuses);
    s->count = err ? s->count : bins;
    return err;
}

int dj_sample_slices_add(dj_sample_slices *s, dj_context *context, unsigned slice, uint64_t distance,
                         uint64_t weight)
{
    s->all[slice] += weight;
    if (distance == DJ_COLD)
        return DJ_OK;
    const size_t bin = dj_fine_bin(distance, BIN_BITS);
    int err = reserve(s, context, bin + 1);
    if (!err)
        s->reuses[bin * SLICES + slice] += weight;
    return err;
}

int dj_sample_slices_merge(dj_sample_slices *s, dj_context *context, const dj_sample_slices *other)
{
    int err = reserve(s, context, other->count);
    for (size_t i = 0; !err && i < other->count * SLICES; i++)
        s->reuses[i] += other->reuses[i];
    for (size_t i = 0; !err && i < SLICES; i++)
        s->all[i] += other->all[i];
    return err;
}

uint64_t dj_sample_slices_bytes_ahead(const dj_sample_slices *s)
{
    return 3 * s->capacity * sizeof *s->reuses;
}

void dj_sample_slices_save(const dj_sample_slices *s, dj_packer *to)
{
    for (size_t i = 0; i < SLICES; i++)
        dj_pack_number(to, s->all[i]);
    dj_pack_number(to, s->count);
    for (size_t i = 0; i < s->count * SLICES; i++)
        dj_pack_number(to, s->reuses[i]);
}

int dj_sample_slices_load(dj_sample_slices *s, dj_context *context, dj_unpacker *from)
{
    uint64_t bins = 0;
    int err = DJ_OK;
    for (size_t i = 0; !err && i < SLICES; i++)
        err = dj_unpack_number(from, context, &s->all[i]);
    if (!err)
        err = dj_unpack_below(from, context, BINS_MOST, "the sizes of a sample's errors", &bins);
    if (!err)
        err = reserve(s, context, bins);
    uint64_t left[SLICES];
    memcpy(left, s->all, sizeof left);
    for (size_t i = 0; !err && i < bins * SLICES; i++) {
        err = dj_unpack_below(from, context, left[i % SLICES], "the reuses of a slice", &s->reuses[i]);
        left[i % SLICES] -= s->reuses[i];
    }
    return err;
}

// The standard error of the sum over the slices.
static double deviation(const uint64_t misses[SLICES])
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < SLICES; i++)
        mean += (double)misses[i] / SLICES;
    for (size_t i = 0; i < SLICES; i++)
        squares += ((double)misses[i] - mean) * ((double)misses[i] - mean);
    return sqrt(squares / (SLICES - 1) * SLICES);
}

// Adds a row, unless the error is the same as before.
static void add_error(dj_sample_error *rows, size_t *count, uint64_t size, double error)
{
    if (*count == 0 || rows[*count - 1].error != error)
        rows[(*count)++] = (dj_sample_error){size, error};
}

int dj_sample_slices_errors(const dj_sample_slices *s, dj_context *context, uint64_t total,
                            dj_sample_error **out, size_t *count)
{
    dj_sample_error *rows = malloc((s->count + 1) * sizeof *rows);
    uint64_t misses[SLICES];
    if (!rows)
        return dj_fail_memory(context, "the errors of a sample", (s->count + 1) * sizeof *rows);
    memcpy(misses, s->all, sizeof misses);
    *count = 0;
    const double share = total ? 1 / (double)total : 0; // of one access
    double before = deviation(misses) * share;
    for (size_t bin = 0; bin < s->count; bin++) {
        for (size_t i = 0; i < SLICES; i++)
            misses[i] -= s->reuses[bin * SLICES + i];
        const double after = deviation(misses) * share;
        add_error(rows, count, dj_fine_bin_low(bin, BIN_BITS), fmax(before, after));
        before = after;
    }
    // After the last reuse only cold misses are left.
    add_error(rows, count, dj_fine_bin_low(s->count, BIN_BITS), before);
    *out = rows;
    return DJ_OK;
}

int dj_sample_tally_merge(dj_sample_tally *t, dj_context *context, const dj_sample_tally *other)
{
    t->blocks += other->blocks;
    t->accesses += other->accesses;
    t->weighted += other->weighted;
    return dj_sample_slices_merge(&t->slices, context, &other->slices);
}

void dj_sample_tally_save(const dj_sample_tally *t, dj_packer *to)
{
    dj_pack_number(to, t->blocks);
    dj_pack_number(to, t->accesses);
    dj_pack_number(to, t->weighted);
    dj_sample_slices_save(&t->slices, to);
}

int dj_sample_tally_load(dj_sample_tally *t, dj_context *context, dj_unpacker *from)
{
    int err = dj_unpack_number(from, context, &t->blocks);
    if (!err)
        err = dj_unpack_number(from, context, &t->accesses);
    if (!err)
        err = dj_unpack_number(from, context, &t->weighted);
    return err ? err : dj_sample_slices_load(&t->slices, context, from);
}

// If the sample has too few accesses, it may lack some very frequent blocks, which no slice knows. Their
// distances are assumed to be the shortest. In the band they may also be misses, up to a certain size: a
// block that has the share s of all accesses cannot miss in caches of 1/s blocks or more, since on average
// there are only 1/s accesses between two of its own. Of 3/rate such blocks, the sample has one or more in
// 19 of 20 cases.
static int allow_for_absent(dj_context *context, double rate, double missing, dj_sample *to)
{
    enum { ABSENT = 3 };
    const uint64_t end = (uint64_t)(ABSENT / rate / missing);
    dj_sample_error *rows = malloc((to->error_count + 1) * sizeof *rows);
    size_t count = 0;
    if (!rows)
        return dj_fail_memory(context, "the errors of a sample", (to->error_count + 1) * sizeof *rows);
    for (size_t i = 0; i < to->error_count; i++) {
        const dj_sample_error row = to->errors[i];
        const bool last = i + 1 == to->error_count;
        rows[count++] =
            (dj_sample_error){row.size, row.error + (row.size < end ? missing / DJ_SAMPLE_ERRORS : 0)};
        if (row.size < end && (last || to->errors[i + 1].size > end))
            rows[count++] = (dj_sample_error){end, row.error};
    }
    free(to->errors);
    to->errors = rows;
    to->error_count = count;
    return DJ_OK;
}

int dj_sample_tally_finish(const dj_sample_tally *t, dj_context *context, double rate, uint64_t total,
                           dj_sample *to)
{
    to->weight_log2 = to->first_log2 = (uint32_t)-lround(log2(rate));
    to->blocks = t->blocks;
    to->accesses = t->accesses;
    int err = dj_sample_slices_errors(&t->slices, context, total, &to->errors, &to->error_count);
    if (!err && t->weighted < total)
        err = allow_for_absent(context, rate, 1 - (double)t->weighted / (double)total, to);
    return err;
}
