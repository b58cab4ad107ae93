// SPDX-License-Identifier: MIT
#include "cli/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define FIRST_AFTER_NS 2000000000ull
#define REFRESH_NS 200000000ull
enum { LINE_BYTES = 128 };

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

void dj_meter_start(dj_meter *meter)
{
    uint64_t now = now_ns();
    *meter = (dj_meter){.enabled = isatty(STDERR_FILENO) == 1, .begin_ns = now, .last_ns = now};
}

static void format_part(char *to, size_t capacity, double seconds, double done, const char *counted)
{
    unsigned long long left = (unsigned long long)(seconds / done - seconds + 0.5);
    char eta[48];
    if (left >= 3600)
        snprintf(eta, sizeof eta, "%llu:%02llu:%02llu", left / 3600, left / 60 % 60, left % 60);
    else
        snprintf(eta, sizeof eta, "%llu:%02llu", left / 60, left % 60);
    snprintf(to, capacity, "%3.0f %%, %s, %s left", done * 100, counted, eta);
}

void dj_meter_format(char *to, size_t capacity, double seconds, const dj_progress *progress,
                     uint64_t accesses)
{
    double rate = seconds > 0 ? (double)accesses / seconds / 1e6 : 0;
    double done = progress->bytes_total ? (double)progress->bytes_read / (double)progress->bytes_total : 0;
    char counted[64];
    snprintf(counted, sizeof counted, "%.1f M accesses, %.1f M accesses/s", (double)accesses / 1e6, rate);
    // One line may stand for billions of accesses: all bytes read does not mean that the end is near.
    if (done <= 0 || done >= 1) {
        snprintf(to, capacity, "%s%s", done > 0 ? "all bytes read, " : "", counted);
        return;
    }
    format_part(to, capacity, seconds, done, counted);
}

// Whether it is time to show the line, `*seconds` after the start.
static bool is_due(dj_meter *meter, double *seconds)
{
    uint64_t now = meter->enabled ? now_ns() : 0;
    if (!meter->enabled || now - meter->begin_ns < FIRST_AFTER_NS || now - meter->last_ns < REFRESH_NS)
        return false;
    *seconds = (double)(now - meter->begin_ns) / 1e9;
    meter->last_ns = now;
    meter->shown = true;
    return true;
}

static void show(const char *line)
{
    fprintf(stderr, "\r%s\033[K", line);
    fflush(stderr);
}

void dj_meter_update(void *user, const dj_progress *progress, uint64_t accesses)
{
    dj_meter *meter = user;
    char line[LINE_BYTES];
    double seconds;
    if (!is_due(meter, &seconds))
        return;
    dj_meter_format(line, sizeof line, seconds, progress, accesses);
    show(line);
}

void dj_meter_count(dj_meter *meter, uint64_t done, uint64_t all, const char *plural)
{
    char line[LINE_BYTES], counted[LINE_BYTES / 2];
    double seconds;
    if (done == 0 || !is_due(meter, &seconds))
        return;
    snprintf(counted, sizeof counted, "%llu of %llu %s", (unsigned long long)done, (unsigned long long)all,
             plural);
    format_part(line, sizeof line, seconds, (double)done / (double)all, counted);
    show(line);
}

void dj_meter_trace(dj_meter *meter, const dj_session_progress *progress)
{
    char line[LINE_BYTES], counted[LINE_BYTES / 2];
    double seconds;
    if (progress->accesses == 0 || progress->running == 0 || !is_due(meter, &seconds))
        return;
    dj_meter_format(counted, sizeof counted, seconds, &(dj_progress){0}, progress->accesses);
    if (progress->running == 1)
        snprintf(line, sizeof line, "%s, process %u", counted, progress->process);
    else
        snprintf(line, sizeof line, "%s, process %u and %zu %s", counted, progress->process,
                 progress->running - 1, progress->running == 2 ? "other" : "others");
    show(line);
}

void dj_meter_hide(dj_meter *meter)
{
    if (meter->shown)
        fputs("\r\033[K", stderr);
    meter->shown = false;
}

void dj_meter_stop(dj_meter *meter)
{
    dj_meter_hide(meter);
    meter->enabled = false;
}
