// SPDX-License-Identifier: MIT
#include "filter/filters.h"

#include <string.h>

// In the order in which the verbs apply them.
static const dj_filter_ops *const filters[] = {
    &dj_filter_only,
    &dj_filter_window,
    &dj_filter_warm_up,
    &dj_filter_sample,
};

size_t dj_filter_count(void)
{
    return sizeof filters / sizeof filters[0];
}

const dj_filter_ops *dj_filter_get(size_t index)
{
    return index < dj_filter_count() ? filters[index] : NULL;
}

const dj_filter_ops *dj_filter_find(const char *name)
{
    for (size_t i = 0; i < dj_filter_count(); i++)
        if (strcmp(filters[i]->name, name) == 0)
            return filters[i];
    return NULL;
}
