// SPDX-License-Identifier: MIT
// The three traces of every comparison, in memory and as files.
#include <deja/generate.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"

typedef struct recipe {
    const char *name, *description, *kind;
    dj_generate_options options;
} recipe;

static const recipe recipes[] = {
    {"zipf", "zipf(0.99) over 1M keys", "zipf", {.seed = 1, .keys = 1000000, .exponent = 0.99}},
    {"stencil",
     "3 reads and 1 write an element, two arrays of 500K elements",
     "stencil",
     {.keys = 500000, .sweeps = 10, .swap = true}},
    {"uniform", "uniform over 4M keys", "uniform", {.seed = 1, .keys = 4000000}},
};

const char *const bench_trace_names[] = {"zipf", "stencil", "uniform", NULL};

int bench_trace_make(dj_context *context, const char *name, uint64_t accesses, bench_trace *out)
{
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
        if (strcmp(recipes[i].name, name) != 0)
            continue;
        dj_generate_options options = recipes[i].options;
        options.accesses = accesses;
        *out = (bench_trace){.name = recipes[i].name, .description = recipes[i].description};
        return dj_generate_addresses(context, recipes[i].kind, &options, &out->keys, &out->count);
    }
    return dj_fail(context, DJ_ERR_USAGE, "there is no trace %s", name);
}

void bench_trace_free(bench_trace *trace)
{
    free(trace->keys);
    trace->keys = NULL;
}

static int write_keys(FILE *file, const bench_trace *trace, bool text)
{
    if (!text)
        return fwrite(trace->keys, sizeof *trace->keys, trace->count, file) == trace->count ? 0 : -1;
    for (size_t i = 0; i < trace->count; i++)
        if (fprintf(file, "%" PRIu64 "\n", trace->keys[i]) < 0)
            return -1;
    return 0;
}

int bench_trace_write(dj_context *context, const bench_trace *trace, bool text, char **path)
{
    const char *folder = getenv("TMPDIR");
    const char *suffix = text ? ".txt" : ".u64le";
    FILE *file = NULL;
    int handle = -1, err = DJ_ERR_IO;
    if (asprintf(path, "%s/deja-bench-%s-XXXXXX%s", folder ? folder : "/tmp", trace->name, suffix) < 0) {
        *path = NULL;
        return dj_fail_memory(context, "the name of a file", 0);
    }
    handle = mkstemps(*path, (int)strlen(suffix));
    if (handle < 0)
        goto fail;
    file = fdopen(handle, "w");
    if (!file)
        goto fail;
    handle = -1;
    int wrong = write_keys(file, trace, text);
    wrong |= fclose(file);
    if (wrong == 0)
        return DJ_OK;
    unlink(*path);
fail:
    err = dj_fail(context, DJ_ERR_IO, "%s: cannot be written: %s", *path, strerror(errno));
    if (handle >= 0)
        close(handle);
    free(*path);
    *path = NULL;
    return err;
}

bool bench_listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    return list == NULL;
}

int bench_check_list(dj_context *context, const char *option, const char *list, const char *const *known)
{
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        size_t length = strcspn(at, ",");
        size_t i = 0;
        while (known[i] && (strlen(known[i]) != length || strncmp(at, known[i], length) != 0))
            i++;
        if (!known[i])
            return dj_fail(context, DJ_ERR_USAGE, "%s: there is no %.*s", option, (int)length, at);
    }
    return DJ_OK;
}
