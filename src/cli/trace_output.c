// SPDX-License-Identifier: MIT
#include "cli/trace_output.h"

#include <deja/sink.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base/json/writer.h"
#include "base/option/choices.h"
#include "base/plain.h"
#include "cli/progress.h"

#define AT(field) offsetof(dj_trace_output, field)

static const dj_option table[] = {
    {"output", 'o', DJ_OPTION_TEXT | DJ_OPTION_COMMON | DJ_OPTION_FILE, AT(output.path), "FILE",
     "the trace to write; '-' is standard output. An existing FILE is replaced once the new one is complete; "
     "its owner, group and permissions are kept. Symbolic links are followed; other hard links keep the "
     "old "
     "content",
     NULL},
    {"as", 'a', DJ_OPTION_TEXT | DJ_OPTION_COMMON, AT(format), "FORMAT",
     "format to write: deja, text, csv, u64le, u64be, u32le or u32be (default: by the ending of FILE, else "
     "deja)",
     NULL},
    {"level", 0, DJ_OPTION_TEXT, AT(level), "N",
     "compression level of format deja, from -50 (fast) to 19 (small), default -3", NULL},
    {"lossy", 0, DJ_OPTION_FLAG, AT(lossy), NULL,
     "convert even if information is lost: truncate long keys, omit devices", NULL},
    {"partial", 0, DJ_OPTION_FLAG, AT(partial), NULL, "keep what was written before bad input or Ctrl-C",
     NULL},
    {"json", 0, DJ_OPTION_FLAG, AT(output.json), NULL, "print the closing summary as JSON", NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

int dj_trace_output_list(dj_context *context, dj_trace_output *options, dj_groups *groups)
{
    const char **formats = NULL;
    int err = dj_groups_own(context, groups, (dj_sink_count() + 1) * sizeof *formats, (void **)&formats);
    for (size_t i = 0; !err && i < dj_sink_count(); i++)
        formats[i] = dj_sink_get(i)->name;
    groups->output = &options->output;
    return err ? err : dj_groups_add_with_choices(context, groups, "Output", table, options, "as", formats);
}

static double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int unknown_format(dj_context *context, const char *name)
{
    dj_choices known = {0};
    for (size_t i = 0; i < dj_sink_count(); i++)
        dj_choices_add(context, &known, dj_sink_get(i)->name);
    int err = dj_fail(context, DJ_ERR_USAGE, "--as: cannot write format '%s'; choose from %s", name,
                      dj_choices_list(&known));
    dj_choices_free(&known);
    return err;
}

// Whether the name promises a compression that Deja does not apply.
static bool promises_compression(const char *path)
{
    static const char *const endings[] = {".gz", ".zst", ".xz", ".zip"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t length = strlen(path), ending = strlen(endings[i]);
        if (length > ending && strcasecmp(path + length - ending, endings[i]) == 0)
            return true;
    }
    return false;
}

static bool ends_in(const char *path, const char *ending, size_t length)
{
    const size_t bytes = strlen(path);
    return length > 0 && length < bytes && strncasecmp(path + bytes - length, ending, length) == 0;
}

// The format that readers expect in a file of that name; NULL: any. All traces may be called .trace.
static const char *find_expected(const char *path)
{
    dj_format_info format;
    if (ends_in(path, ".trace", strlen(".trace")))
        return NULL;
    for (size_t i = 0; i < dj_format_count(); i++) {
        const char *at = dj_format_get(i, &format) == DJ_OK ? format.extensions : "";
        for (size_t length; *at; at += length + strspn(at + length, " ")) {
            length = strcspn(at, " ");
            if (ends_in(path, at, length))
                return format.name;
        }
    }
    return NULL;
}

static int choose_format(dj_context *context, const dj_trace_output *options, const dj_sink_info **out)
{
    const char *path = options->output.path;
    if (!path)
        return dj_fail(context, DJ_ERR_USAGE,
                       "no output given; name a file with -o FILE, or use '-' for standard output");
    if (promises_compression(path))
        return dj_fail(context, DJ_ERR_USAGE,
                       "-o %s: only format deja is compressed, in files named .deja; to compress another "
                       "format, write to "
                       "'-' and pipe it through a compressor",
                       path);
    *out = options->format ? dj_sink_find(options->format) : dj_sink_find_path(path);
    if (options->format && !*out)
        return unknown_format(context, options->format);
    const char *expected = *out ? NULL : find_expected(path);
    if (expected && !dj_sink_find(expected))
        return dj_fail(context, DJ_ERR_USAGE,
                       "-o %s: format %s can be read, but not written; use an ending such as .deja or .csv, "
                       "or choose a format with --as",
                       path, expected);
    if (expected)
        *out = dj_sink_find(expected);
    if (!*out)
        *out = dj_sink_find("deja");
    return DJ_OK;
}

static int choose_level(dj_context *context, const dj_trace_output *options, int *out)
{
    *out = 0;
    if (!options->level)
        return DJ_OK;
    char *end;
    long level = strtol(options->level, &end, 10);
    if (end == options->level || *end || level < -50 || level > 19 || level == 0)
        return dj_fail(context, DJ_ERR_USAGE, "--level: '%s' is not a number from -50 to 19 other than 0",
                       options->level);
    *out = (int)level;
    return DJ_OK;
}

static int copy(dj_context *context, dj_source *source, dj_sink *sink)
{
    dj_meter meter;
    dj_meter_start(&meter);
    int err = dj_sink_copy(sink, context, source, dj_meter_update, &meter);
    dj_meter_stop(&meter);
    return err;
}

static void note_losses(const dj_sink_info *format, const dj_sink_stats *stats)
{
    static const char *const names[] = {"size", "device", "site", "place", "sharer", "time", "kind"};
    const char *separator = "";
    if (!stats->dropped_columns && !stats->dropped_events)
        return;
    fprintf(stderr, "deja: note: format %s drops ", format->name);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (stats->dropped_columns >> i & 1) {
            fprintf(stderr, "%s%s", separator, names[i]);
            separator = ", ";
        }
    if (stats->dropped_events)
        fprintf(stderr, "%s%" PRIu64 " events", separator, stats->dropped_events);
    fputs(" of the trace\n", stderr);
}

// The default block size of a reader for the written trace.
static uint64_t block_when_read(const dj_sink_info *format, const dj_source_info *info)
{
    static const uint64_t by_class[] = {
        [DJ_CLASS_MEMORY] = 64, [DJ_CLASS_BLOCK_IO] = 4096, [DJ_CLASS_KEYS] = 1};
    if (format->keeps_events)
        return info->default_block;
    return format->columns ? by_class[info->kind] : 1;
}

static void note_blocks(const dj_sink_info *format, const dj_sink_stats *stats, const dj_source_info *info)
{
    if (block_when_read(format, info) != info->default_block)
        fprintf(stderr,
                "deja: note: format %s does not store the block size; read the trace with --block %" PRIu64
                "\n",
                format->name, info->default_block);
    if (info->default_split && stats->dropped_columns & DJ_COLUMN_SIZE)
        fputs("deja: note: without sizes, an access counts only in its first block\n", stderr);
}

static void print_json(FILE *file, const char *path, const dj_sink_info *format, const dj_sink_stats *stats,
                       double seconds, bool partial)
{
    dj_json_writer json = {.out = file};
    dj_json_begin_object(&json, NULL);
    dj_json_text(&json, "output", path);
    dj_json_text(&json, "format", format->name);
    dj_json_uint(&json, "accesses", stats->accesses);
    dj_json_uint(&json, "events", stats->events);
    dj_json_uint(&json, "bytes", stats->bytes);
    dj_json_real(&json, "bytes_per_access",
                 stats->accesses ? (double)stats->bytes / (double)stats->accesses : 0);
    dj_json_real(&json, "seconds", seconds);
    dj_json_real(&json, "accesses_per_s", seconds > 0 ? (double)stats->accesses / seconds : 0);
    dj_json_bool(&json, "partial", partial);
    dj_json_end_object(&json);
    dj_json_finish(&json);
}

static int summarize(dj_context *context, const dj_trace_output *options, const dj_sink_info *format,
                     const dj_sink_stats *stats, const dj_source_info *info, double seconds, bool partial)
{
    const char *path = options->output.path;
    note_losses(format, stats);
    note_blocks(format, stats, info);
    if (!options->output.json) {
        dj_plain_print(stderr, path, true);
        fprintf(stderr, ": %" PRIu64 " accesses, %.3f bytes per access, %.1f M accesses/s%s\n",
                stats->accesses, stats->accesses ? (double)stats->bytes / (double)stats->accesses : 0,
                seconds > 0 ? (double)stats->accesses / seconds * 1e-6 : 0, partial ? " (partial)" : "");
        return DJ_OK;
    }
    if (strcmp(path, "-") == 0) {
        print_json(stderr, path, format, stats, seconds, partial);
        return DJ_OK;
    }
    dj_output_options to = {.json = true};
    dj_output *output = NULL;
    int err = dj_output_open(context, &to, &output);
    if (err)
        return err;
    print_json(output->file, path, format, stats, seconds, partial);
    return dj_output_close(context, &output);
}

static int is_binary_to_terminal(const dj_output *output, const dj_sink_info *format)
{
    return output->terminal && strcmp(format->name, "text") != 0 && strcmp(format->name, "csv") != 0;
}

static bool may_keep(const dj_trace_output *options, int err, const dj_sink *sink)
{
    dj_sink_stats stats;
    dj_sink_get_stats(sink, &stats);
    return !err || (options->partial && stats.accesses && (err == DJ_ERR_INPUT || err == DJ_ERR_STOPPED));
}

int dj_trace_output_write(dj_context *context, const dj_trace_output *options, dj_source *source,
                          const char *command_line)
{
    const dj_sink_info *format = NULL;
    dj_output *output = NULL;
    dj_sink *sink = NULL;
    dj_sink_options sink_options = {.lossy = options->lossy, .provenance = command_line};
    double begin = now_seconds();
    int err = choose_format(context, options, &format), outcome = DJ_OK;
    if (!err)
        err = choose_level(context, options, &sink_options.level);
    if (!err)
        err = dj_output_open(context, &options->output, &output);
    if (!err && is_binary_to_terminal(output, format))
        err = dj_fail(context, DJ_ERR_USAGE, "format %s is binary; redirect the output", format->name);
    if (err)
        goto fail;
    dj_sink_output to = dj_sink_output_file(output->file);
    err = dj_sink_create(context, format->name, &to, dj_source_get_info(source), &sink_options, &sink);
    if (err)
        goto fail;
    outcome = copy(context, source, sink);
    err = may_keep(options, outcome, sink) ? dj_sink_finish(sink, context) : outcome;
    if (!err)
        err = dj_output_close(context, &output);
    if (!err) {
        dj_sink_stats stats;
        dj_sink_get_stats(sink, &stats);
        err = summarize(context, options, format, &stats, dj_source_get_info(source), now_seconds() - begin,
                        outcome != DJ_OK);
    }
    if (!err)
        err = outcome;
fail:
    if (err == DJ_ERR_IO && output && ferror(output->file))
        err = dj_fail_within(context, err, "%s", output->name);
    dj_sink_destroy(sink);
    dj_output_discard(&output);
    return err;
}
