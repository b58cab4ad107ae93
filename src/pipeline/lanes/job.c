// SPDX-License-Identifier: MIT
#include "pipeline/lanes/job.h"

#include <stdlib.h>

static uint64_t *wide(char **at, bool wanted)
{
    void *column = *at;
    *at += wanted ? DJ_BATCH_CAPACITY * sizeof(uint64_t) : 0;
    return wanted ? column : NULL;
}

static uint32_t *narrow(char **at, bool wanted)
{
    void *column = *at;
    *at += wanted ? DJ_BATCH_CAPACITY * sizeof(uint32_t) : 0;
    return wanted ? column : NULL;
}

// An engine that answers late holds many jobs, so unused columns are not allocated.
dj_job *dj_job_create(const dj_engine_ops *engine, uint32_t use, bool selective, bool coherent)
{
    const bool runs = !engine->folds || selective, tags = use & DJ_CAN_TAGS, times = use & DJ_CAN_TIMES,
               weights = use & DJ_CAN_WEIGHTS, distances = !(use & DJ_CAN_TOTALS);
    const size_t wide_columns =
        1u + distances + 2u * times + weights + runs * (1u + distances + 2u * times + 2u * weights);
    const size_t narrow_columns = 2u * tags + runs * (1u + 2u * tags) + coherent;
    dj_job *j = calloc(1, sizeof *j);
    char *at =
        j ? malloc(DJ_BATCH_CAPACITY * (wide_columns * sizeof(uint64_t) + narrow_columns * sizeof(uint32_t)))
          : NULL;
    if (!at) {
        free(j);
        return NULL;
    }
    j->key = wide(&at, true); // the first column, which owns the allocation
    j->distance = wide(&at, distances);
    j->time = wide(&at, times);
    j->prev_time = wide(&at, times);
    j->byte_distance = wide(&at, weights);
    j->run_key = wide(&at, runs);
    j->run_distance = wide(&at, runs && distances);
    j->run_time = wide(&at, runs && times);
    j->run_prev_time = wide(&at, runs && times);
    j->run_weight = wide(&at, runs && weights);
    j->run_byte_distance = wide(&at, runs && weights);
    j->finer = narrow(&at, tags);
    j->prev_tag = narrow(&at, tags);
    j->runs.start = narrow(&at, runs);
    j->run_tag = narrow(&at, runs && tags);
    j->run_prev_tag = narrow(&at, runs && tags);
    j->lost_to = narrow(&at, coherent);
    return j;
}

void dj_job_destroy(dj_job *j)
{
    if (!j)
        return;
    dj_batch_release(j->batch);
    free(j->key);
    free(j->tasks);
    free(j->run_end);
    free(j->filled);
    dj_operations_free(&j->operations);
    free(j);
}
