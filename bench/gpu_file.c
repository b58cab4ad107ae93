// SPDX-License-Identifier: MIT
// `deja analyze --engine gpu` on a raw file that was just written, and so is in the page cache.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/gpu.h"
#include "engine/team.h"

#define STRETCH ((size_t)1 << 22)

typedef struct writing {
    int handle;
    const char *from;
    size_t bytes;
    atomic_size_t next;
    atomic_int wrong; // errno
} writing;

static void write_some(void *user, dj_team_member *member)
{
    writing *w = user;
    (void)member;
    for (;;) {
        size_t at = dj_take_task(&w->next) * STRETCH;
        if (at >= w->bytes || atomic_load(&w->wrong))
            return;
        size_t end = w->bytes - at < STRETCH ? w->bytes : at + STRETCH;
        while (at < end) {
            ssize_t n = pwrite(w->handle, w->from + at, end - at, (off_t)at);
            if (n <= 0) {
                atomic_store(&w->wrong, n < 0 ? errno : ENOSPC);
                return;
            }
            at += (size_t)n;
        }
    }
}

static int write_file(gpu_bench *bench, dj_context *context, const char *path, int handle,
                      const uint64_t *keys, uint64_t count)
{
    writing w = {.handle = handle, .from = (const char *)keys, .bytes = count * sizeof *keys};
    dj_team *team = NULL;
    unsigned threads = bench->processors;
    int err = dj_team_create(context, &threads, &team);
    if (!err && !team)
        err = dj_fail(context, DJ_ERR_MEMORY, "%s", dj_context_warning(context));
    if (err != DJ_OK)
        return err;
    dj_team_start(team, write_some, &w);
    dj_team_wait(team);
    dj_team_destroy(team);
    int wrong = atomic_load(&w.wrong);
    return wrong ? dj_fail(context, DJ_ERR_IO, "%s: cannot be written: %s", path, strerror(wrong)) : DJ_OK;
}

static int make_file(gpu_bench *bench, dj_context *context, char *path, const uint64_t *keys, uint64_t count)
{
    const char *folder = bench->set.folder ? bench->set.folder : getenv("TMPDIR");
    snprintf(path, PATH_MAX, "%s/deja-bench-gpu-XXXXXX.u64", folder ? folder : "/tmp");
    int handle = mkstemps(path, 4);
    if (handle < 0)
        return dj_fail(context, DJ_ERR_IO, "%s: cannot be made: %s", path, strerror(errno));
    int err = write_file(bench, context, path, handle, keys, count);
    close(handle);
    if (err != DJ_OK)
        unlink(path);
    return err;
}

typedef struct file_user {
    char deja[PATH_MAX], path[PATH_MAX];
    uint64_t accesses;
} file_user;

static int once(void *user, dj_context *context, double *seconds, double *fetched_s)
{
    const file_user *u = user;
    char command[PATH_MAX + 128];
    snprintf(command, sizeof command, "'%s' analyze --engine gpu --format u64le {} >/dev/null", u->deja);
    *fetched_s = 0;
    return bench_command_time(context, command, u->path, u->accesses, seconds);
}

// Times a nearly empty file: the start of the program and of CUDA.
static int time_start(gpu_bench *bench, dj_context *context, file_user *u, const gpu_trace *trace)
{
    gpu_row row = {0};
    if (bench->start_s > 0)
        return DJ_OK;
    int err = make_file(bench, context, u->path, trace->key, 1);
    if (err != DJ_OK)
        return err;
    err = gpu_repeat(bench, context, once, u, &row);
    unlink(u->path);
    bench->start_s = row.seconds;
    return err;
}

int gpu_time_file(gpu_bench *bench, dj_context *context, const gpu_trace *trace)
{
    file_user u = {.accesses = trace->count};
    gpu_row row = gpu_row_of(trace, "file");
    row.goal = bench->set.small ? 0 : 1e9;
    int err = bench_beside(context, "deja", u.deja, sizeof u.deja);
    if (err == DJ_OK)
        err = time_start(bench, context, &u, trace);
    if (err == DJ_OK)
        err = make_file(bench, context, u.path, trace->key, trace->count);
    if (err != DJ_OK)
        return err;
    err = gpu_repeat(bench, context, once, &u, &row);
    unlink(u.path);
    row.start_s = bench->start_s < row.seconds ? bench->start_s : 0;
    if (err == DJ_OK)
        gpu_report_row(bench, &row);
    return err;
}

// Without the lines that name the engine.
static int compare_profiles(gpu_bench *bench, dj_context *context, const file_user *u, const char *options)
{
    char command[2 * PATH_MAX];
    double seconds;
    snprintf(command, sizeof command,
             "for e in fast gpu; do '%s' analyze --engine $e --json --caches none --format u64le %s {} | "
             "grep -v '\"engine\"\\|\"command\"' >{}.$e || break; done; "
             "cmp {}.fast {}.gpu; status=$?; rm -f {}.fast {}.gpu; exit $status",
             u->deja, options);
    int err = bench_command_time(context, command, u->path, u->accesses, &seconds);
    if (err == DJ_OK)
        return DJ_OK;
    dj_fail_within(context, err, "deja analyze %s: the profiles of fast and gpu differ", options);
    gpu_wrong(bench, context);
    return err;
}

int gpu_profiles(gpu_bench *bench, dj_context *context)
{
    static const char *const options[] = {"", "--fingerprint", "--time", "--block 8"};
    const uint64_t count = bench->set.small ? 5000 : 5000000;
    gpu_trace trace = {.pattern = "zipf", .count = count, .keys = count / 50};
    file_user u = {.accesses = count};
    bool good = true;
    int err = bench_beside(context, "deja", u.deja, sizeof u.deja);
    if (err == DJ_OK)
        err = gpu_reserve_keys(bench, context, count);
    trace.key = bench->key;
    if (err == DJ_OK)
        err = gpu_trace_fill(bench, context, &trace);
    if (err == DJ_OK)
        err = make_file(bench, context, u.path, trace.key, count);
    if (err != DJ_OK)
        return err;
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        good &= compare_profiles(bench, context, &u, options[i]) == DJ_OK;
    unlink(u.path);
    if (good)
        gpu_say("profiles: deja analyze says the same with --engine fast and --engine gpu");
    return DJ_OK;
}
