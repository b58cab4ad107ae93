// SPDX-License-Identifier: MIT
// deja convert: a trace in another format.
#include "cli/command.h"
#include "cli/options/reading.h"
#include "cli/writing.h"

typedef struct options {
    dj_reading reading;
    dj_writing writing;
} options;

static int list_options(dj_context *context, void *values, dj_groups *groups)
{
    options *o = values;
    int err = dj_reading_list_source(context, &o->reading, groups);
    return err ? err : dj_writing_list(context, &o->writing, groups);
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    const options *o = values;
    dj_source *source = NULL;
    int err = dj_reading_open_source(context, &o->reading, arguments->items, arguments->count, &source);
    if (!err)
        err = dj_writing_run(context, &o->writing, source, arguments->command_line);
    dj_source_close(source);
    return err;
}

static const dj_example examples[] = {
    {"deja convert lackey.log.gz -o gzip.deja",
     "Keeps a memory trace with sites, sizes and kinds, in little space."},
    {"deja convert part-*.csv.zst --as u64le -o all.bin", "Makes one file of keys of many."},
    {"valgrind --tool=lackey --trace-mem=yes --log-fd=9 ls 9>&1 >/dev/null | deja convert - -o ls.deja",
     "Records a program that valgrind runs."},
    {"deja convert --partial killed.deja -o rescued.deja", "Saves what a killed tracer left behind."},
    {NULL, NULL},
};

const dj_command dj_command_convert = {
    .name = "convert",
    .summary = "write a trace in another format",
    .usage = "[options] FILE... -o FILE",
    .description = "Reads one or several files as one trace and writes it as deja (Deja's own stream: all "
                   "columns and events, compressed and checked), text (one key a line), csv, or keys of 32 "
                   "or 64 bits.\n\n"
                   "Accesses are copied as they are recorded: nothing is cut into blocks or split. Columns "
                   "that the new format does not have are left out, and a note says so. What would change "
                   "the distances is refused unless --lossy is given: keys that do not fit, and several "
                   "devices where the format has none.\n\n"
                   "The file appears under its name when it is whole. Input that turns out bad ends with "
                   "exit status 3, and no file unless --partial is given.",
    .examples = examples,
    .options_bytes = sizeof(options),
    .list_options = list_options,
    .run = run,
};
