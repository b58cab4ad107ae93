// SPDX-License-Identifier: MIT
// Which data sharers have in common, from the lowest hashes of each. The lowest hashes of the union are a
// random sample of it, and each of them is in the sample of every sharer that has the datum.
#include <deja/corun.h>

#include <stdlib.h>

typedef struct sampled {
    uint64_t hash, sharers;
} sampled;

static int by_hash(const void *left, const void *right)
{
    const sampled *a = left, *b = right;
    return a->hash < b->hash ? -1 : a->hash > b->hash;
}

static int by_sharers(const void *left, const void *right)
{
    const sampled *a = left, *b = right;
    return a->sharers < b->sharers ? -1 : a->sharers > b->sharers;
}

// All hashes up to the highest one that every sample covers, each once, with its sharers.
static size_t gather(const dj_joint_sharer *const *sharers, size_t count, sampled *to)
{
    uint64_t covered = UINT64_MAX;
    size_t n = 0, kept = 0;
    for (size_t i = 0; i < count; i++) {
        const dj_joint_sharer *s = sharers[i];
        if (s->sample_count < s->distinct && s->sample[s->sample_count - 1] < covered)
            covered = s->sample[s->sample_count - 1];
        for (size_t k = 0; k < s->sample_count; k++)
            to[n++] = (sampled){s->sample[k], UINT64_C(1) << i};
    }
    qsort(to, n, sizeof *to, by_hash);
    for (size_t i = 0; i < n && to[i].hash <= covered; i++) {
        if (kept > 0 && to[kept - 1].hash == to[i].hash)
            to[kept - 1].sharers |= to[i].sharers;
        else
            to[kept++] = to[i];
    }
    return kept;
}

// How many data one of the sampled ones stands for: the data of all sharers, by the sampled ones of each.
static double scale_of(const dj_joint_sharer *const *sharers, size_t count, const sampled *from, size_t n)
{
    double data = 0, seen = 0;
    for (size_t i = 0; i < count; i++)
        data += (double)sharers[i]->distinct;
    for (size_t k = 0; k < n; k++)
        seen += __builtin_popcountll(from[k].sharers);
    return seen > 0 ? data / seen : 0;
}

int dj_corun_classes(dj_context *context, const dj_joint_sharer *const *sharers, size_t count,
                     dj_sharing_class **out, size_t *class_count)
{
    if (count > DJ_CORUN_MOST)
        return dj_fail(context, DJ_ERR_USAGE, "shared data can be found for at most %d sharers, not %zu",
                       DJ_CORUN_MOST, count);
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        if (sharers[i]->sample_count == 0 && sharers[i]->distinct > 0)
            return dj_fail(context, DJ_ERR_INPUT, "joint: sharer %zu has no sample of its data", i + 1);
        most += sharers[i]->sample_count;
    }
    sampled *all = malloc((most + 1) * sizeof *all);
    *out = malloc((most + 1) * sizeof **out);
    *class_count = 0;
    if (!all || !*out) {
        free(all);
        free(*out);
        *out = NULL;
        return dj_fail_memory(context, "the sharing classes", most * sizeof *all);
    }
    const size_t n = gather(sharers, count, all);
    const double scale = scale_of(sharers, count, all, n);
    qsort(all, n, sizeof *all, by_sharers);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && all[end].sharers == all[i].sharers; end++)
            ;
        (*out)[(*class_count)++] =
            (dj_sharing_class){all[i].sharers, (uint64_t)((double)(end - i) * scale + 0.5)};
    }
    free(all);
    return DJ_OK;
}
