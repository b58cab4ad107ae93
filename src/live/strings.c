// SPDX-License-Identifier: MIT
#include "live/strings.h"

static void emit(dj_batch *batch, const dj_string_run *run)
{
    dj_batch_append(batch, run->begin, run->end - run->begin, run->site, run->kind);
}

// Upwards or, with the direction flag set, downwards.
static bool extend(dj_string_run *run, uint64_t begin, uint64_t end)
{
    uint64_t first = begin < run->begin ? begin : run->begin;
    uint64_t last = (end > run->end ? end : run->end) - 1;
    if ((begin != run->end && end != run->begin) || first / DJ_STRING_LINE != last / DJ_STRING_LINE)
        return false;
    run->begin = first;
    run->end = last + 1;
    return true;
}

void dj_strings_step(dj_strings *strings, dj_batch *batch, const dj_string_run *step)
{
    for (uint32_t i = 0; i < strings->count; i++) {
        dj_string_run *run = &strings->runs[i];
        if (run->site != step->site || run->operand != step->operand)
            continue;
        if (extend(run, step->begin, step->end)) {
            strings->joined++;
        } else {
            emit(batch, run);
            *run = *step;
        }
        return;
    }
    if (strings->count == DJ_STRINGS_MOST) {
        emit(batch, &strings->runs[0]);
        strings->runs[0] = *step;
        return;
    }
    strings->runs[strings->count++] = *step;
}

void dj_strings_flush(dj_strings *strings, dj_batch *batch)
{
    for (uint32_t i = 0; i < strings->count; i++)
        emit(batch, &strings->runs[i]);
    strings->count = 0;
}
