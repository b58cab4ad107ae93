// SPDX-License-Identifier: MIT
// The order in which observers finish: each after the sections that it needs have been filled.
#include "pipeline/state.h"

#include <stdlib.h>

static bool waits_for(const dj_observer_ops *ops, const dj_section_ops *section)
{
    for (const dj_section_ops *const *s = ops->after; s && *s; s++)
        if (*s == section)
            return true;
    return false;
}

// Whether it adds to a section that another observer creates.
static bool refines(const dj_observer_ops *ops, const dj_section_ops *section)
{
    return ops->fills == section && waits_for(ops, section);
}

// Whether `later` must follow `earlier`. Observers that refine the same section keep the order in which
// they are listed.
static bool follows(const dj_observer_ops *later, const dj_observer_ops *earlier)
{
    const dj_section_ops *section = earlier->fills;
    return section && waits_for(later, section) && !(refines(later, section) && refines(earlier, section));
}

static int check_needs(dj_context *context, const dj_pipeline_config *config, const dj_observer_ops *ops)
{
    for (const dj_section_ops *const *s = ops->after; s && *s; s++) {
        bool filled = false;
        for (size_t i = 0; i < config->observer_count; i++)
            filled |= config->observers[i].ops->fills == *s && !refines(config->observers[i].ops, *s);
        const char *by = "";
        for (size_t i = 0; !filled && !*by && i < dj_observer_count(); i++)
            if (dj_observer_get(i)->fills == *s && !refines(dj_observer_get(i), *s))
                by = dj_observer_get(i)->name;
        if (!filled)
            return dj_fail(context, DJ_ERR_USAGE,
                           "observer %s needs section '%s', which no observer of the pipeline fills; add %s",
                           ops->name, (*s)->name, *by ? by : "one that does");
    }
    return DJ_OK;
}

int dj_finish_order(dj_context *context, const dj_pipeline_config *config, size_t *order)
{
    const size_t count = config->observer_count;
    bool *placed = calloc(count + 1, sizeof *placed);
    if (!placed)
        return dj_fail_memory(context, "the pipeline", 0);
    int err = DJ_OK;
    for (size_t i = 0; !err && i < count; i++)
        err = check_needs(context, config, config->observers[i].ops);
    for (size_t done = 0; !err && done < count; done++) {
        size_t next = count;
        for (size_t i = 0; next == count && i < count; i++) {
            bool ready = !placed[i];
            for (size_t k = 0; ready && k < count; k++)
                ready = k == i || placed[k] || !follows(config->observers[i].ops, config->observers[k].ops);
            next = ready ? i : next;
        }
        if (next == count) {
            err = dj_fail(context, DJ_ERR_USAGE,
                          "the observers of the pipeline wait for each other's sections");
            break;
        }
        placed[next] = true;
        order[done] = next;
    }
    free(placed);
    return err;
}
