// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"

typedef struct subject {
    const char *name, *summary;
    int (*run)(dj_context *context, size_t count, char *const *args);
} subject;

static const subject subjects[] = {
    {"engines", "accesses per second of each engine, beside the machine's limits", bench_engines},
    {"cli", "deja analyze on files, beside the engine's own time", bench_cli},
    {"readers", "bytes and accesses per second of the trace readers", bench_readers},
    {"stream", "the deja stream: bytes per access, written and read", bench_stream},
    {"live", "deja run and deja record on programs, beside their native run", bench_live},
    {"annotated", "a program with annotations, beside the same without Deja", bench_annotated},
    {"spatial", "several block sizes in one pass, beside one of them", bench_spatial},
    {"hprda", "the estimates of engine hprda beside exact distances, and its speed", bench_hprda},
    {"gpu", "engines on a CUDA device: checked, timed, beside the processor", bench_gpu},
    {"path", "from a file to an engine that finds nothing, beside plain copies", bench_path},
    {"drain", "PROGRAM [arguments]: traces it and throws the accesses away", bench_drain},
};

enum { SUBJECTS = sizeof subjects / sizeof subjects[0] };

static void print_usage(FILE *out)
{
    fprintf(out, "usage: deja-bench SUBJECT [options]; deja-bench SUBJECT --help\n\n");
    for (size_t i = 0; i < SUBJECTS; i++)
        fprintf(out, "  %-9s  %s\n", subjects[i].name, subjects[i].summary);
}

int main(int argc, char **argv)
{
    if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        print_usage(stdout);
        return 0;
    }
    const subject *chosen = NULL;
    for (size_t i = 0; argc >= 2 && i < SUBJECTS; i++)
        if (strcmp(argv[1], subjects[i].name) == 0)
            chosen = &subjects[i];
    if (!chosen) {
        print_usage(stderr);
        return 2;
    }
    dj_context *context;
    if (dj_context_create(&context) != DJ_OK)
        return 4;
    int err = chosen->run(context, (size_t)argc - 2, argv + 2);
    if (err < 0)
        fprintf(stderr, "deja-bench: %s\n", dj_context_message(context));
    dj_context_destroy(context);
    if (fflush(stdout) != 0 && err == 0)
        err = DJ_ERR_IO;
    if (err >= 0)
        return err;
    return err == DJ_ERR_USAGE || err == DJ_ERR_UNSUPPORTED ? 2 : err == DJ_ERR_INPUT ? 3 : 4;
}
