// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"

static const bench_subject *const subjects[] = {
    &bench_engines,   &bench_cli,     &bench_readers,  &bench_stream, &bench_live,
    &bench_annotated, &bench_spatial, &bench_hprda,    &bench_gpu,    &bench_path,
    &bench_drain,     &bench_profile, &bench_sampling,
};

enum { SUBJECTS = sizeof subjects / sizeof subjects[0] };

static void print_usage(FILE *out)
{
    fprintf(out, "usage: deja-bench SUBJECT [options]; deja-bench SUBJECT --help\n\n");
    for (size_t i = 0; i < SUBJECTS; i++)
        fprintf(out, "  %-9s  %s\n", subjects[i]->name, subjects[i]->summary);
}

int main(int argc, char **argv)
{
    if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        print_usage(stdout);
        return 0;
    }
    const bench_subject *chosen = NULL;
    for (size_t i = 0; argc >= 2 && i < SUBJECTS; i++)
        if (strcmp(argv[1], subjects[i]->name) == 0)
            chosen = subjects[i];
    if (!chosen) {
        print_usage(stderr);
        return 2;
    }
    dj_context *context;
    if (dj_context_create(&context) != DJ_OK)
        return 4;
    int err = bench_subject_run(chosen, context, (size_t)argc - 2, argv + 2);
    if (err < 0)
        fprintf(stderr, "deja-bench: %s\n", dj_context_message(context));
    dj_context_destroy(context);
    if (fflush(stdout) != 0 && err == 0)
        err = DJ_ERR_IO;
    if (err >= 0)
        return err;
    return err == DJ_ERR_USAGE || err == DJ_ERR_UNSUPPORTED ? 2 : err == DJ_ERR_INPUT ? 3 : 4;
}
