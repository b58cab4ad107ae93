// SPDX-License-Identifier: MIT
#include "measure/filters.h"

#include <deja/measure.h>

#include <stdlib.h>

enum { DESCRIPTION_BYTES = 256 };

static const char *name_column(uint32_t column)
{
    return column & DJ_COLUMN_KIND     ? "which accesses are reads"
           : column & DJ_COLUMN_CLOCK  ? "when accesses were made"
           : column & DJ_COLUMN_THREAD ? "the thread of an access"
           : column & DJ_COLUMN_DEVICE ? "the device of an access"
           : column & DJ_COLUMN_FILE   ? "the file of an access"
                                       : "everything needed";
}

static int check_columns(dj_context *context, const dj_measurement *m, uint32_t needed)
{
    const dj_source_info *info = dj_source_get_info(m->source);
    uint32_t missing = needed & ~(info->columns | info->provides);
    return missing ? dj_fail(context, DJ_ERR_UNSUPPORTED, "%s: format %s does not record %s",
                             dj_measurement_name(m), info->format, name_column(missing & -missing))
                   : DJ_OK;
}

static bool leaves_out(const dj_filter_choice *filter)
{
    char description[DESCRIPTION_BYTES] = "";
    filter->ops->describe(dj_filter_choice_options(filter), description, sizeof description);
    return description[0] != 0;
}

// Reports options that make no sense before checking what the trace provides.
static int check_options(dj_context *context, const dj_filter_choice *filter, uint64_t largest_block)
{
    void *state = NULL;
    const dj_filter_setup setup = {dj_filter_choice_options(filter), largest_block};
    int err = filter->ops->create(context, &setup, &state);
    if (!err)
        filter->ops->destroy(state);
    return err;
}

void dj_request_ask(const dj_request *request, dj_source_options *source)
{
    source->files |= request->partition == DJ_PARTITION_FILE;
    for (size_t i = 0; i < request->filter_count; i++) {
        const dj_filter_choice *filter = &request->filters[i];
        uint32_t columns = filter->ops->columns ? filter->ops->columns(dj_filter_choice_options(filter)) : 0;
        source->clock |= columns & DJ_COLUMN_CLOCK && leaves_out(filter);
    }
}

bool dj_filters_sample(const dj_measurement *m)
{
    bool samples = false;
    for (size_t i = 0; i < m->filter_count; i++)
        samples = samples ||
                  (m->filters[i].ops->verdicts >> DJ_VERDICT_UNSAMPLED & 1 && leaves_out(&m->filters[i]));
    return samples;
}

bool dj_filters_limit_memory(const dj_measurement *m)
{
    bool limit = false;
    for (size_t i = 0; i < m->filter_count; i++)
        limit = limit || dj_filter_choice_memory(&m->filters[i]) > 0;
    return limit;
}

int dj_filters_choose(dj_context *context, const dj_measurement *m, dj_filter_choice **filters,
                      dj_lane_group *group)
{
    uint32_t needed = dj_partition_columns(m->partition);
    *filters = calloc(m->filter_count + 1, sizeof **filters);
    if (!*filters)
        return dj_fail_memory(context, "the filters", 0);
    group->filters = *filters;
    for (size_t i = 0; i < m->filter_count; i++) {
        const dj_filter_choice *filter = &m->filters[i];
        if (!leaves_out(filter))
            continue;
        int err = check_options(context, filter, m->blocks[m->block_count - 1]);
        if (err)
            return err;
        needed |= filter->ops->columns ? filter->ops->columns(dj_filter_choice_options(filter)) : 0;
        (*filters)[group->filter_count++] = *filter;
    }
    return check_columns(context, m, needed);
}
