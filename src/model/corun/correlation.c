// SPDX-License-Identifier: MIT
// Whether sharers access the blocks that they have in common in the same order. Blocks that are accessed
// often are also accessed early, by every sharer. So the times of first accesses correlate even if the
// sharers are independent. But of two blocks that one sharer accesses at nearly the same time, another one
// that is independent accesses either first, whatever their popularity.
#include <deja/corun.h>

#include <math.h>
#include <stdlib.h>

#include "model/corun/correlation.h"

enum {
    COMMON_LEAST = 16, // fewer blocks may be in the same order by chance
    NEAR = 32,         // of so many parts of the blocks, one part is near
};

typedef struct common {
    uint64_t own, other; // times of the first accesses
} common;

static int compare(const void *left, const void *right)
{
    const common *a = left, *b = right;
    return (a->own > b->own) - (a->own < b->own);
}

// The sampled blocks of both.
static size_t list_common(const dj_joint_sharer *a, const dj_joint_sharer *b, common *out)
{
    size_t n = 0;
    for (size_t i = 0, k = 0; i < a->sample_count && k < b->sample_count && n < DJ_JOINT_SAMPLE;) {
        if (a->sample[i] == b->sample[k])
            out[n++] = (common){a->sample_first[i], b->sample_first[k]};
        const bool next = a->sample[i] <= b->sample[k];
        k += a->sample[i] >= b->sample[k];
        i += next;
    }
    return n;
}

// Pearson's coefficient of the times.
static double correlate(const common *blocks, size_t count)
{
    const double n = (double)count;
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (size_t i = 0; i < count; i++) {
        x += (double)blocks[i].own / n;
        y += (double)blocks[i].other / n;
    }
    for (size_t i = 0; i < count; i++) {
        const double u = (double)blocks[i].own - x, v = (double)blocks[i].other - y;
        xx += u * u;
        yy += v * v;
        xy += u * v;
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}

// Kendall's coefficient of blocks that are near each other in the order of the one sharer: 1 if the other one
// always accesses them in the same order, and 0 if either order is as frequent.
static double correlate_near(common *blocks, size_t count)
{
    const size_t step = 1 + count / NEAR;
    double sum = 0;
    qsort(blocks, count, sizeof *blocks, compare);
    for (size_t i = step; i < count; i++)
        sum += blocks[i].other > blocks[i - step].other ? 1 : -1;
    return sum / (double)(count - step);
}

double dj_corun_correlation(const dj_corun *corun, size_t sharer)
{
    common blocks[DJ_JOINT_SAMPLE];
    double most = 0;
    for (size_t i = 0; corun->class_count > 0 && i < corun->count; i++) {
        if (i == sharer)
            continue;
        const size_t count = list_common(corun->sharers[sharer].profile, corun->sharers[i].profile, blocks);
        const double times = count >= COMMON_LEAST ? correlate(blocks, count) : 0;
        if (times > most)
            most = fmax(most, fmin(times, correlate_near(blocks, count)));
    }
    return most;
}
