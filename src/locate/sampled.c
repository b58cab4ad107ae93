// SPDX-License-Identifier: MIT
#include "locate/sampled.h"

#include <stdlib.h>
#include <string.h>

typedef struct judge {
    const dj_filter_ops *ops;
    void *state;
} judge;

struct dj_sampled {
    uint64_t split_block;
    uint8_t verdict[DJ_BATCH_CAPACITY];
    size_t count;
    judge judges[];
};

int dj_sampled_create(dj_context *context, const dj_sampled_options *options, dj_sampled **out)
{
    dj_sampled *s = calloc(1, sizeof *s + options->filter_count * sizeof s->judges[0]);
    int err = s ? DJ_OK : dj_fail_memory(context, "the filters", sizeof *s);
    for (size_t i = 0; !err && i < options->filter_count; i++) {
        const dj_filter_choice *filter = &options->filters[i];
        const dj_filter_setup setup = {dj_filter_choice_options(filter), options->largest_block};
        s->judges[i].ops = filter->ops;
        err = filter->ops->create(context, &setup, &s->judges[i].state);
        s->count += !err;
    }
    if (err) {
        dj_sampled_destroy(s);
        return err;
    }
    s->split_block = options->split_block;
    *out = s;
    return DJ_OK;
}

void dj_sampled_destroy(dj_sampled *s)
{
    for (size_t i = 0; s && i < s->count; i++)
        s->judges[i].ops->destroy(s->judges[i].state);
    free(s);
}

uint32_t dj_sampled_pieces(const dj_sampled *s, const dj_batch *batch, uint32_t i)
{
    const uint64_t address = batch->column.address[i];
    const uint64_t size = s->split_block && batch->column.size ? batch->column.size[i] : 0;
    if (size == 0)
        return 1;
    return (uint32_t)((address + size - 1) / s->split_block - address / s->split_block) + 1;
}

// The lanes judge the pieces of an access one by one.
static void keep_split(dj_sampled *s, const dj_batch *batch)
{
    for (uint32_t i = 0; s->split_block && i < batch->count; i++)
        if (s->verdict[i] == DJ_VERDICT_UNSAMPLED && dj_sampled_pieces(s, batch, i) > 1)
            s->verdict[i] = DJ_VERDICT_COUNT;
}

int dj_sampled_judge(dj_sampled *s, dj_context *context, const dj_batch *batch, const uint8_t **out)
{
    int err = DJ_OK;
    memset(s->verdict, DJ_VERDICT_COUNT, batch->count);
    for (size_t i = 0; !err && i < s->count; i++)
        err = s->judges[i].ops->judge(s->judges[i].state, context, batch, s->verdict);
    keep_split(s, batch);
    *out = s->verdict;
    return err;
}
