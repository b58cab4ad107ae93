// SPDX-License-Identifier: MIT
#include "observe/byte_sample.h"

#include <math.h>
#include <stdlib.h>

#include "base/pack.h"
#include "observe/known_total.h"

void dj_byte_sample_free(dj_byte_sample *s)
{
    dj_sample_slices_free(&s->requests);
    dj_sample_slices_free(&s->bytes);
}

static void count_size(struct dj_size_class classes[DJ_SIZE_CLASSES], uint64_t size, uint64_t weight)
{
    struct dj_size_class *class = &classes[dj_log2_bin(size)];
    class->bytes += size * weight;
    class->squares += (unsigned __int128)size * size * weight;
}

static void note_smallest(dj_byte_sample *s, uint64_t size)
{
    s->smallest = s->smallest && s->smallest <= size ? s->smallest : size + 1;
}

void dj_byte_sample_watch(dj_byte_sample *s, const dj_view *view, const dj_lane_view *lane)
{
    const uint64_t *size = view->batch->column.size;
    for (uint32_t i = 0; i < view->batch->count; i++)
        if (!lane->verdict || dj_verdict_belongs(lane->verdict[i])) {
            const uint64_t bytes = size ? size[i] : 1;
            s->total += bytes;
            note_smallest(s, bytes);
            count_size(s->accesses, bytes, 1);
        }
}

int dj_byte_sample_add(dj_byte_sample *s, dj_context *context, unsigned slice, uint64_t needed, uint64_t size,
                       uint64_t weight)
{
    if (needed == DJ_COLD)
        count_size(s->keys, size, weight);
    if (weight == 1) { // all blocks are analyzed, and nothing depends on the sample
        s->certain += size;
        return DJ_OK;
    }
    int err = dj_sample_slices_add(&s->requests, context, slice, needed, weight);
    return err ? err : dj_sample_slices_add(&s->bytes, context, slice, needed, size * weight);
}

int dj_byte_sample_merge(dj_byte_sample *s, dj_context *context, const dj_byte_sample *other)
{
    s->total += other->total;
    s->certain += other->certain;
    if (other->smallest)
        note_smallest(s, other->smallest - 1);
    for (size_t i = 0; i < DJ_SIZE_CLASSES; i++) {
        s->keys[i].bytes += other->keys[i].bytes;
        s->keys[i].squares += other->keys[i].squares;
        s->accesses[i].bytes += other->accesses[i].bytes;
        s->accesses[i].squares += other->accesses[i].squares;
    }
    int err = dj_sample_slices_merge(&s->requests, context, &other->requests);
    return err ? err : dj_sample_slices_merge(&s->bytes, context, &other->bytes);
}

static void save_classes(const struct dj_size_class classes[DJ_SIZE_CLASSES], dj_packer *to)
{
    for (size_t i = 0; i < DJ_SIZE_CLASSES; i++) {
        dj_pack_number(to, classes[i].bytes);
        dj_pack_number(to, (uint64_t)classes[i].squares);
        dj_pack_number(to, (uint64_t)(classes[i].squares >> 64));
    }
}

void dj_byte_sample_save(const dj_byte_sample *s, dj_packer *to)
{
    dj_pack_number(to, s->total);
    dj_pack_number(to, s->smallest);
    save_classes(s->keys, to);
    save_classes(s->accesses, to);
    dj_sample_slices_save(&s->requests, to);
    dj_sample_slices_save(&s->bytes, to);
}

static int load_classes(struct dj_size_class classes[DJ_SIZE_CLASSES], dj_context *context, dj_unpacker *from)
{
    int err = DJ_OK;
    for (size_t i = 0; !err && i < DJ_SIZE_CLASSES; i++) {
        uint64_t low = 0, high = 0;
        err = dj_unpack_number(from, context, &classes[i].bytes);
        if (!err)
            err = dj_unpack_number(from, context, &low);
        if (!err)
            err = dj_unpack_number(from, context, &high);
        classes[i].squares = (unsigned __int128)high << 64 | low;
    }
    return err;
}

int dj_byte_sample_load(dj_byte_sample *s, dj_context *context, dj_unpacker *from)
{
    int err = dj_unpack_number(from, context, &s->total);
    if (!err)
        err = dj_unpack_number(from, context, &s->smallest);
    if (!err)
        err = load_classes(s->keys, context, from);
    if (!err)
        err = load_classes(s->accesses, context, from);
    if (!err)
        err = dj_sample_slices_load(&s->requests, context, from);
    return err ? err : dj_sample_slices_load(&s->bytes, context, from);
}

// The mean size weighted by size, of the classes up to `last`.
static double mean_of(const struct dj_size_class *classes, unsigned last)
{
    double bytes = 0, squares = 0;
    for (unsigned i = 0; i <= last; i++) {
        bytes += (double)classes[i].bytes;
        squares += (double)classes[i].squares;
    }
    return bytes > 0 ? squares / bytes : 0;
}

// Neither the sampled keys nor the accesses are what a cache contains: the larger mean is the safe one.
static int list_means(const dj_byte_sample *s, dj_context *context, dj_byte_profile *to)
{
    to->means = calloc(DJ_SIZE_CLASSES, sizeof *to->means);
    if (!to->means)
        return dj_fail_memory(context, "the errors of a sample", DJ_SIZE_CLASSES * sizeof *to->means);
    for (unsigned i = 1; i < DJ_SIZE_CLASSES; i++)
        if (s->accesses[i].bytes > 0)
            to->means[to->mean_count++] =
                (dj_mean_size){UINT64_C(1) << (i - 1), fmax(mean_of(s->keys, i), mean_of(s->accesses, i))};
    return DJ_OK;
}

int dj_byte_sample_finish(const dj_byte_sample *s, dj_context *context, uint64_t accesses, uint64_t cold,
                          dj_byte_profile *to)
{
    const uint64_t smallest = s->smallest ? s->smallest - 1 : 0;
    to->sampled_bytes = s->certain;
    for (size_t i = 0; i < DJ_SAMPLE_SLICES; i++)
        to->sampled_bytes += s->bytes.all[i];
    int err = dj_match_known_total(context, accesses, smallest, &cold, &to->distance);
    if (!err)
        err = dj_match_known_total(context, s->total, smallest, &to->cold_bytes, &to->weight);
    if (!err)
        err = dj_sample_slices_errors(&s->requests, context, accesses, &to->errors, &to->error_count);
    if (!err)
        err = dj_sample_slices_errors(&s->bytes, context, s->total, &to->byte_errors, &to->byte_error_count);
    return err ? err : list_means(s, context, to);
}
