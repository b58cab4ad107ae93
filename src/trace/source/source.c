// SPDX-License-Identifier: MIT
// What all sources share: pool, positions, information, options.
#include <deja/sharers.h>

#include <stdlib.h>

#define AT(field) offsetof(dj_source_options, field)

static const char *const csv_columns[] = {"time",   "key", "size",    "op",     "thread", "address",
                                          "offset", "lba", "sectors", "device", "site",   NULL};

const dj_option dj_source_option_table[] = {
    {"format", 'f', DJ_OPTION_TEXT | DJ_OPTION_COMMON, AT(format), "NAME",
     "trace format (default: detected); 'deja info formats' lists them", NULL},
    {"columns", 0, DJ_OPTION_TEXT | DJ_OPTION_LIST, AT(columns), "LIST",
     "csv: the columns in file order, such as time,key,size,op,thread. Other columns are address, offset, "
     "lba, "
     "sectors, device and site; '-' skips a column",
     csv_columns},
    {"header", 0, DJ_OPTION_FLAG, AT(header), NULL, "csv: the first line contains names, not data", NULL},
    {"instructions", 0, DJ_OPTION_FLAG, AT(instructions), NULL,
     "also count instruction fetches, which are skipped by default", NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

struct dj_source {
    const dj_source_ops *ops;
    void *state;
    dj_source_info info;
    dj_pool *pool;
    uint64_t position;
    bool ended;
};

int dj_source_create(dj_context *context, const dj_source_ops *ops, void *state, const dj_source_info *info,
                     dj_source **out)
{
    dj_source *source = calloc(1, sizeof *source);
    if (!source)
        return dj_fail_memory(context, "a source", 0);
    int err = dj_pool_create(context, &source->pool);
    if (err) {
        free(source);
        return err;
    }
    source->ops = ops;
    source->state = state;
    source->info = *info;
    *out = source;
    return DJ_OK;
}

int dj_source_next(dj_source *source, dj_context *context, dj_batch **out)
{
    *out = NULL;
    if (source->ended)
        return DJ_OK;
    int err = source->ops->next(source->state, context, source->pool, out);
    source->ended = err || !*out;
    if (*out) {
        (*out)->first = source->position;
        source->position += (*out)->count;
    }
    return err;
}

const dj_source_info *dj_source_get_info(const dj_source *source)
{
    return &source->info;
}

const char *dj_source_name(const dj_source *source)
{
    return source->ops->name ? source->ops->name(source->state) : source->info.format;
}

void dj_source_use_threads(dj_source *source, unsigned threads)
{
    if (source->ops->use_threads)
        source->ops->use_threads(source->state, threads);
}

const dj_sharer *dj_source_sharers(const dj_source *source, size_t *count)
{
    *count = 0;
    return source->ops->sharers ? source->ops->sharers(source->state, count) : NULL;
}

void dj_source_progress(const dj_source *source, dj_progress *out)
{
    out->bytes_read = 0;
    out->bytes_total = 0;
    if (source->ops->progress)
        source->ops->progress(source->state, out);
}

void dj_source_close(dj_source *source)
{
    if (!source)
        return;
    if (source->ops->close)
        source->ops->close(source->state);
    dj_pool_destroy(source->pool);
    free(source);
}
