// SPDX-License-Identifier: MIT
#include "observe/observers.h"

#include <string.h>

static const dj_observer_ops *const observers[] = {
    &dj_observer_histogram,
    &dj_observer_time,
    &dj_observer_bytes,
    &dj_observer_fingerprint,
    &dj_observer_digest,
    &dj_observer_keys,
    &dj_observer_key_lists,
    &dj_observer_strides,
    &dj_observer_traffic,
    &dj_observer_sizes,
    &dj_observer_simulate,
    &dj_observer_places,
    &dj_observer_spatial,
    &dj_observer_spatial_places,
    &dj_observer_usage,
    &dj_observer_partitions,
    &dj_observer_windows,
    &dj_observer_joint,
    &dj_observer_sharing,
    &dj_observer_sharing_places,
    &dj_observer_sample,
    &dj_observer_bursts,
    &dj_observer_tracing,
    &dj_observer_spatial_bursts,
    &dj_observer_spread,
    &dj_observer_slices,
    &dj_observer_elements,
    &dj_observer_hierarchy,
    &dj_observer_hierarchy_places,
    &dj_observer_tlb,
};

size_t dj_observer_count(void)
{
    return sizeof observers / sizeof observers[0];
}

const dj_observer_ops *dj_observer_get(size_t index)
{
    return index < dj_observer_count() ? observers[index] : NULL;
}

const dj_observer_ops *dj_observer_find(const char *name)
{
    for (size_t i = 0; i < dj_observer_count(); i++)
        if (strcmp(observers[i]->name, name) == 0)
            return observers[i];
    return NULL;
}
