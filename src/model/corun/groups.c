// SPDX-License-Identifier: MIT
// Miss ratios of all subsets of sharers.
#include <stdlib.h>

#include "model/corun/models.h"

// Relative speeds that differ by less are one solution.
static const double SAME_SPEEDS = 0.001;

double dj_prediction_misses(const dj_prediction *p, uint64_t blocks)
{
    double misses = p->cold;
    for (size_t i = p->bin_count; i-- > 0 && p->bins[i].hi >= blocks;) {
        const dj_expected_bin *bin = &p->bins[i];
        const uint64_t from = bin->lo > blocks ? bin->lo : blocks;
        misses += bin->count * (double)(bin->hi - from + 1) / (double)(bin->hi - bin->lo + 1);
    }
    return misses;
}

// The classes that the sharers of a group have, renumbered.
static size_t classes_of(const dj_corun *corun, const dj_corun_group *group, dj_sharing_class *out)
{
    size_t count = 0;
    for (size_t i = 0; i < corun->class_count; i++) {
        dj_sharing_class class = {.blocks = corun->classes[i].blocks};
        for (size_t k = 0; k < group->count; k++)
            class.sharers |= (corun->classes[i].sharers >> group->sharer[k] & 1) << k;
        if (class.sharers != 0)
            out[count++] = class;
    }
    return count;
}

// The sharers of a group as a corun of their own.
typedef struct team {
    dj_corun corun;
    dj_corun_sharer sharers[DJ_CORUN_SUBSET];
    dj_corun_core cores[DJ_CORUN_SUBSET];
} team;

static void form(team *t, const dj_corun *corun, const dj_corun_core *cores, const dj_corun_group *group,
                 dj_sharing_class *classes)
{
    t->corun = *corun;
    for (size_t k = 0; k < group->count; k++) {
        t->sharers[k] = corun->sharers[group->sharer[k]];
        if (cores)
            t->cores[k] = cores[group->sharer[k]];
    }
    t->corun.sharers = t->sharers;
    t->corun.count = group->count;
    t->corun.predicted = 0;
    t->corun.classes = classes;
    t->corun.class_count = classes_of(corun, group, classes);
}

static int measure(dj_context *context, const team *t, const dj_corun_model *model, uint64_t blocks,
                   dj_corun_group *group)
{
    dj_prediction predictions[DJ_CORUN_SUBSET] = {{0}};
    int err = dj_corun_predict(context, model, &t->corun, predictions);
    for (size_t k = 0; !err && k < group->count; k++) {
        const double all = predictions[k].cold + predictions[k].reuses;
        group->ratio[k] = all > 0 ? dj_prediction_misses(&predictions[k], blocks) / all : 0;
        dj_prediction_free(&predictions[k]);
    }
    return err;
}

static void set_speeds(team *t, const double *speeds, dj_corun_group *group)
{
    for (size_t k = 0; k < group->count; k++) {
        t->sharers[k].speed = speeds[k];
        group->cycles[k] = 1 / speeds[k];
    }
}

// One group, or two if different speeds fit.
static int solve(dj_context *context, const dj_corun *corun, const dj_corun_model *model, uint64_t blocks,
                 const dj_corun_core *cores, dj_sharing_class *classes, dj_corun_group *to, size_t *count)
{
    team t;
    double low[DJ_CORUN_SUBSET], high[DJ_CORUN_SUBSET];
    form(&t, corun, cores, to, classes);
    int err = cores ? dj_corun_speeds(context, &t.corun, model, blocks, t.cores, low, high) : DJ_OK;
    if (!err && cores)
        set_speeds(&t, low, to);
    if (!err)
        err = measure(context, &t, model, blocks, to);
    *count += !err;
    if (err || !cores || to->count != 2 || high[1] / high[0] <= low[1] / low[0] * (1 + SAME_SPEEDS))
        return err;
    to[1] = to[0];
    to[1].second = true;
    set_speeds(&t, high, &to[1]);
    err = measure(context, &t, model, blocks, &to[1]);
    *count += !err;
    return err;
}

// The next subset of as many sharers, in the order of the lists; false after the last one.
static bool next_subset(dj_corun_group *group, size_t sharers)
{
    size_t k = group->count;
    while (k-- > 0 && group->sharer[k] == sharers - group->count + k)
        ;
    if (k == SIZE_MAX)
        return false;
    group->sharer[k]++;
    for (size_t i = k + 1; i < group->count; i++)
        group->sharer[i] = group->sharer[i - 1] + 1;
    return true;
}

static size_t subsets(size_t sharers, size_t most)
{
    size_t sum = 0, choose = 1;
    for (size_t k = 1; k <= most && k <= sharers; k++) {
        choose = choose * (sharers - k + 1) / k;
        sum += choose;
    }
    return sum;
}

int dj_corun_groups(dj_context *context, const dj_corun *corun, const dj_corun_model *model, size_t most,
                    uint64_t blocks, const dj_corun_core *cores, dj_corun_group **out, size_t *group_count)
{
    if (most > DJ_CORUN_SUBSET || corun->count > DJ_CORUN_MOST)
        return dj_fail(context, DJ_ERR_USAGE, "at most %d of %d sharers can share a cache, not %zu of %zu",
                       DJ_CORUN_SUBSET, DJ_CORUN_MOST, most, corun->count);
    const size_t twice = corun->count * corun->count; // pairs with two solutions
    const size_t all = subsets(corun->count, most);
    dj_corun_group *groups = calloc(all + twice + 1, sizeof *groups);
    dj_sharing_class *classes = malloc((corun->class_count + 1) * sizeof *classes);
    size_t count = 0, done = 0;
    int err = groups && classes ? DJ_OK : dj_fail_memory(context, "groups of sharers", 0);
    for (size_t size = 1; !err && size <= most && size <= corun->count; size++) {
        dj_corun_group group = {.count = size};
        for (size_t k = 0; k < size; k++)
            group.sharer[k] = k;
        do {
            group.sharers = 0;
            for (size_t k = 0; k < size; k++)
                group.sharers |= UINT64_C(1) << group.sharer[k];
            groups[count] = group;
            err = solve(context, corun, model, blocks, cores, classes, &groups[count], &count);
            if (corun->on_progress)
                corun->on_progress(corun->user, ++done, all);
        } while (!err && next_subset(&group, corun->count));
    }
    free(classes);
    if (err) {
        free(groups);
        return err;
    }
    *out = groups;
    *group_count = count;
    return DJ_OK;
}
