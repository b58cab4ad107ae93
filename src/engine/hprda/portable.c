// SPDX-License-Identifier: MIT
#include "base/machine.h"
#include "engine/hprda/kernel.h"

#include <stdlib.h>

void dj_hprda_analyze_portable(dj_hprda_scratch *scratch, const dj_hprda_trace *trace, dj_hprda_group *group,
                               dj_hprda_info *infos)
{
    analyze_group(scratch, trace, group, infos);
}

dj_hprda_analyze *dj_hprda_best_analyze(void)
{
#if defined(__x86_64__)
    if (strcmp(dj_machine_simd(), "portable") != 0)
        return dj_hprda_analyze_avx2;
#endif
    return dj_hprda_analyze_portable;
}

int dj_hprda_scratch_create(dj_hprda_scratch *s, dj_context *context, uint64_t st, uint64_t group_infos)
{
    uint64_t words = st / 64 + 1, entries = 64;
    while (entries < 2 * st)
        entries *= 2;
    *s = (dj_hprda_scratch){.mask = entries - 1, .st = st, .group_infos = group_infos};
    int err = dj_context_create(&s->context);
    if (err)
        return dj_fail_memory(context, "engine hprda", 0);
    s->table = calloc(entries, sizeof *s->table);
    s->key = malloc(st * sizeof *s->key);
    s->first = malloc(st * sizeof *s->first);
    s->last = malloc(st * sizeof *s->last);
    s->bits = malloc(words * sizeof *s->bits);
    s->sums = malloc((words / WORDS_SUMMED + 1) * sizeof *s->sums);
    s->infos = malloc(group_infos * sizeof *s->infos);
    if (!s->table || !s->key || !s->first || !s->last || !s->bits || !s->sums || !s->infos)
        return dj_fail_memory(context, "the local arrays of engine hprda", 0);
    return DJ_OK;
}

void dj_hprda_scratch_free(dj_hprda_scratch *s)
{
    free(s->table);
    free(s->key);
    free(s->first);
    free(s->last);
    free(s->bits);
    free(s->sums);
    free(s->infos);
    dj_context_destroy(s->context);
}

uint64_t dj_hprda_scratch_bytes(const dj_hprda_scratch *s)
{
    uint64_t words = s->st / 64 + 1;
    return sizeof *s + (s->mask + 1) * sizeof *s->table +
           s->st * (sizeof *s->key + sizeof *s->first + sizeof *s->last) +
           words * (sizeof *s->bits + sizeof *s->sums) + s->group_infos * sizeof *s->infos;
}
