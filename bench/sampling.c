// SPDX-License-Identifier: MIT
// Measures `deja mrc --sample` on a file in the page cache, and compressed, against exact analysis, a plain
// read of the file, decompression, and the choice of the blocks alone. Processor time of all threads
// together.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/bench.h"
#include "filter/sample_find.h"

typedef struct settings {
    bench_common common;
    const char *deja, *rate;
    uint64_t keys;
} settings;

static const dj_option option_table[] = {
    BENCH_ACCESSES("length of the trace, zipf (default 100000000)"),
    {"keys", 'k', DJ_OPTION_UINT, offsetof(settings, keys), "N", "its number of keys (default 10000000)",
     NULL},
    {"rate", 0, DJ_OPTION_TEXT, offsetof(settings, rate), "RATE", "of the sample (default 1%)", NULL},
    BENCH_ROUNDS,
    {"deja", 0, DJ_OPTION_TEXT, offsetof(settings, deja), "PROGRAM",
     "the program to time (default: deja in the folder of this program)", NULL},
    BENCH_JSON_LIST,
    BENCH_HELP,
};

enum step { READ, FAST, SAMPLE, DECOMPRESS, SAMPLE_COMPRESSED, CHOOSE, STEPS };

static const char *const names[STEPS] = {
    [READ] = "read",
    [FAST] = "exact",
    [SAMPLE] = "sample",
    [DECOMPRESS] = "zstd -dc",
    [SAMPLE_COMPRESSED] = "sample of zst",
    [CHOOSE] = "choose blocks",
};

// Accesses per second.
enum { GOAL = 200000000 };

typedef struct files {
    char plain[PATH_MAX], compressed[PATH_MAX + 8];
    bool made, has_compressed;
    uint64_t accesses;
} files;

// The limit: only the hash, of keys that stay in the cache.
static double time_choice(uint64_t accesses, uint64_t *found)
{
    static uint64_t keys[DJ_BATCH_CAPACITY], bits[DJ_BATCH_CAPACITY / 64];
    const dj_sample_choice choice = {.log2 = 7};
    for (uint64_t i = 0; i < DJ_BATCH_CAPACITY; i++)
        keys[i] = i;
    const double start = bench_seconds();
    for (uint64_t done = 0; done < accesses; done += DJ_BATCH_CAPACITY) {
        dj_sample_find_choose()(&choice, keys, DJ_BATCH_CAPACITY, bits);
        *found += bits[done / DJ_BATCH_CAPACITY % (DJ_BATCH_CAPACITY / 64)];
    }
    return bench_seconds() - start;
}

static bool is_compressed(enum step step)
{
    return step == DECOMPRESS || step == SAMPLE_COMPRESSED;
}

static int time_step(dj_context *context, const settings *set, const files *f, enum step step,
                     double *seconds)
{
    char command[PATH_MAX + 300];
    const char *quiet = ">/dev/null 2>&1";
    uint64_t found = 0;
    switch (step) {
    case READ:
        snprintf(command, sizeof command, "dd if={} of=/dev/null bs=128K 2>/dev/null");
        break;
    case DECOMPRESS:
        snprintf(command, sizeof command, "zstd -dc {} %s", quiet);
        break;
    case FAST:
        snprintf(command, sizeof command, "'%s' mrc --engine fast {} %s", set->deja, quiet);
        break;
    case CHOOSE:
        *seconds = time_choice(f->accesses, &found);
        return found ? DJ_OK : dj_fail(context, DJ_ERR_USAGE, "no block was chosen");
    default:
        snprintf(command, sizeof command, "'%s' mrc --sample '%s' {} %s", set->deja, set->rate, quiet);
    }
    return bench_command_time(context, command, is_compressed(step) ? f->compressed : f->plain, f->accesses,
                              seconds);
}

static void report(const files *f, const double *seconds, bench_call *call)
{
    for (int i = 0; i < STEPS; i++) {
        const double rate = seconds[i] > 0 ? (double)f->accesses / seconds[i] : 0;
        if (is_compressed((enum step)i) && !f->has_compressed)
            continue;
        dj_json_writer *json = bench_begin_row(call);
        if (json) {
            dj_json_text(json, "step", names[i]);
            dj_json_real(json, "cpu_seconds", seconds[i]);
            dj_json_real(json, "accesses_per_s", rate);
            dj_json_real(json, "times_read", seconds[i] / seconds[READ]);
            dj_json_real(json, "times_exact", seconds[i] / seconds[FAST]);
            dj_json_end_object(json);
            continue;
        }
        printf("%-14s %7.3f s %7.1f M accesses/s, %6.2f times read, %.3f times exact", names[i], seconds[i],
               rate / 1e6, seconds[i] / seconds[READ], seconds[i] / seconds[FAST]);
        if (i == SAMPLE)
            printf(", %s %d M/s", rate >= GOAL ? "reaches" : "BELOW", GOAL / 1000000);
        if (i == SAMPLE_COMPRESSED)
            printf(", %.2f times zstd", seconds[i] / seconds[DECOMPRESS]);
        printf("\n");
    }
}

static int make_files(dj_context *context, const settings *set, const bench_call *call, files *f)
{
    const char *folder = getenv("TMPDIR");
    char command[2 * PATH_MAX];
    double seconds = 0;
    struct stat about;
    int err = DJ_OK;
    if (call->name_count > 0) {
        snprintf(f->plain, sizeof f->plain, "%s", call->names[0]);
    } else {
        snprintf(f->plain, sizeof f->plain, "%s/deja-bench-XXXXXX.u64le", folder ? folder : "/tmp");
        int handle = mkstemps(f->plain, (int)strlen(".u64le"));
        if (handle < 0)
            return dj_fail(context, DJ_ERR_IO, "%s: cannot be created", f->plain);
        close(handle);
        f->made = true;
        snprintf(command, sizeof command, "'%s' gen zipf --keys %llu --accesses %llu -o {} >/dev/null 2>&1",
                 set->deja, (unsigned long long)set->keys, (unsigned long long)set->common.accesses);
        err = bench_command_time(context, command, f->plain, 0, &seconds);
    }
    if (!err && stat(f->plain, &about) != 0)
        err = dj_fail(context, DJ_ERR_INPUT, "%s: cannot be read", f->plain);
    f->accesses = err ? 0 : (uint64_t)about.st_size / sizeof(uint64_t);
    if (!err && f->accesses == 0)
        err = dj_fail(context, DJ_ERR_INPUT, "%s: there are no accesses", f->plain);
    f->has_compressed = !err && system("command -v zstd >/dev/null") == 0;
    if (f->has_compressed) {
        snprintf(f->compressed, sizeof f->compressed, "%s/deja-bench-%ld.u64le.zst", folder ? folder : "/tmp",
                 (long)getpid());
        snprintf(command, sizeof command, "zstd -q -f -3 {} -o '%s'", f->compressed);
        err = bench_command_time(context, command, f->plain, 0, &seconds);
    }
    return err;
}

static int run(dj_context *context, bench_call *call)
{
    settings set = *(const settings *)call->settings;
    static files f;
    char beside[PATH_MAX];
    double best[STEPS] = {0};
    int err = DJ_OK;
    bench_use_cpu_time();
    if (!set.deja) {
        err = bench_beside(context, "deja", beside, sizeof beside);
        set.deja = beside;
    }
    if (!err)
        err = make_files(context, &set, call, &f);
    for (uint64_t round = 0; !err && round < set.common.repeat; round++)
        for (int i = 0; !err && i < STEPS; i++) {
            double seconds = 0;
            if ((round > 0 && i == FAST) || (is_compressed((enum step)i) && !f.has_compressed))
                continue;
            err = time_step(context, &set, &f, (enum step)i, &seconds);
            best[i] = round == 0 || seconds < best[i] ? seconds : best[i];
        }
    if (!err)
        report(&f, best, call);
    if (f.made)
        unlink(f.plain);
    if (f.has_compressed)
        unlink(f.compressed);
    return err;
}

static const settings defaults = {
    .common = {.accesses = 100000000, .repeat = 3}, .rate = "1%", .keys = 10000000};

const bench_subject bench_sampling = {
    .name = "sampling",
    .summary = "deja mrc --sample on a file, compared with exact analysis and a plain read",
    .options = option_table,
    .defaults = &defaults,
    .settings_bytes = sizeof(settings),
    .takes_names = true,
    .more_help = "A named u64le file is used instead of a generated one.",
    .run = run};
