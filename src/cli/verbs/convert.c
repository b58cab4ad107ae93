// SPDX-License-Identifier: MIT
// deja convert: write a trace in another format.
#include "cli/command.h"
#include "cli/options/trace.h"
#include "cli/trace_output.h"

typedef struct options {
    dj_trace_options trace;
    dj_trace_output output;
} options;

static int list_options(dj_context *context, void *values, dj_groups *groups)
{
    options *o = values;
    int err = dj_trace_list_source(context, &o->trace, groups);
    return err ? err : dj_trace_output_list(context, &o->output, groups);
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    const options *o = values;
    dj_source *source = NULL;
    int err = dj_trace_open_source(context, &o->trace, arguments->items, arguments->count, &source);
    if (!err)
        err = dj_trace_output_write(context, &o->output, source, arguments->command_line);
    dj_source_close(source);
    return err;
}

static const dj_example examples[] = {
    {"deja convert lackey.log.gz -o gzip.deja",
     "Stores a memory trace with sites, sizes and kinds, compressed."},
    {"deja convert part-*.csv.zst --as u64le -o all.bin",
     "Concatenates several traces into one file of keys."},
    {"valgrind --tool=lackey --trace-mem=yes --log-fd=9 ls 9>&1 >/dev/null | deja convert - -o ls.deja",
     "Records the output of Valgrind's lackey."},
    {"deja convert --partial killed.deja -o rescued.deja", "Recovers what a killed tracer left behind."},
    {NULL, NULL},
};

const dj_command dj_command_convert = {
    .name = "convert",
    .summary = "write a trace in another format",
    .usage = "[options] FILE... -o FILE",
    .description =
        "Reads one or more files as one trace and writes it as deja (Deja's own stream: all columns "
        "and events, compressed and checked), text (one key per line), csv, or keys of 32 or 64 "
        "bits.",
    .details =
        "Accesses are copied unchanged: they are not divided into blocks or split. Columns that the new "
        "format cannot store are left out, and a note says so. Conversions that would change the "
        "distances are refused unless --lossy is given: keys that do not fit, and several devices in a "
        "format without devices.\n\n"
        "The file appears under its name only when it is complete. Bad input ends with exit status 3 "
        "and without a file, unless --partial is given.",
    .examples = examples,
    .options_bytes = sizeof(options),
    .list_options = list_options,
    .run = run,
};
