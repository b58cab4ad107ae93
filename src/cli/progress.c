// SPDX-License-Identifier: MIT
#include "cli/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define FIRST_AFTER_NS 2000000000ull
#define REFRESH_NS 200000000ull

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
    unsigned long long left = (unsigned long long)(seconds / done - seconds + 0.5);
    char eta[48];
    if (left >= 3600)
        snprintf(eta, sizeof eta, "%llu:%02llu:%02llu", left / 3600, left / 60 % 60, left % 60);
    else
        snprintf(eta, sizeof eta, "%llu:%02llu", left / 60, left % 60);
    snprintf(to, capacity, "%3.0f %%, %s, %s left", done * 100, counted, eta);
}

void dj_meter_update(void *user, const dj_progress *progress, uint64_t accesses)
{
    dj_meter *meter = user;
    if (!meter->enabled)
        return;
    uint64_t now = now_ns();
    if (now - meter->begin_ns < FIRST_AFTER_NS || now - meter->last_ns < REFRESH_NS)
        return;
    char line[128];
    dj_meter_format(line, sizeof line, (double)(now - meter->begin_ns) / 1e9, progress, accesses);
    fprintf(stderr, "\r%s\033[K", line);
    fflush(stderr);
    meter->last_ns = now;
    meter->shown = true;
}

void dj_meter_stop(dj_meter *meter)
{
    if (meter->shown)
        fputs("\r\033[K", stderr);
    meter->enabled = false;
    meter->shown = false;
}
