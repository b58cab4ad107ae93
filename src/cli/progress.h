// SPDX-License-Identifier: MIT
// The progress line: appears on standard error after two seconds, if that is a terminal.
#ifndef DEJA_CLI_PROGRESS_H
#define DEJA_CLI_PROGRESS_H

#include <deja/session.h>
#include <deja/source.h>

typedef struct dj_meter {
    bool enabled;
    bool shown;
    uint64_t begin_ns;
    uint64_t last_ns;
} dj_meter;

void dj_meter_start(dj_meter *meter);
// A callback for dj_pipeline_config.on_progress; `user` is the meter. Cheap enough to
// be called for every batch.
void dj_meter_update(void *user, const dj_progress *progress, uint64_t accesses);
// The same for a number of steps, which the plural names, as in "groups".
void dj_meter_count(dj_meter *meter, uint64_t done, uint64_t all, const char *plural);
// The same for a program that runs.
void dj_meter_trace(dj_meter *meter, const dj_session_progress *progress);
void dj_meter_hide(dj_meter *meter); // erases the line until the next update
void dj_meter_stop(dj_meter *meter); // erases the line

// Formats the line, without escape sequences, after `seconds` of run time.
void dj_meter_format(char *to, size_t capacity, double seconds, const dj_progress *progress,
                     uint64_t accesses);

#endif
