// SPDX-License-Identifier: MIT
// The source over trace files: one format, several inputs in sequence.
#include <deja/source.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/file.h"
#include "trace/head.h"
#include "trace/input/growing.h"
#include "trace/registry.h"
#include "trace/source/growing.h"
#include "trace/source/slices.h"

enum { LOOK_MS = 200 }; // the longest that a followed file makes the caller wait

typedef struct files {
    char **paths;
    size_t count, next;      // inputs; the one to open next
    const dj_format *forced; // chosen by the user
    const dj_format *format; // of all inputs; NULL until the first is open
    dj_source_options options;
    char *columns; // copy that the options point to
    dj_input *input;
    void *reader;       // state of the format
    bool reading;       // the reader is open
    unsigned threads;   // that may read in parallel
    dj_slices *slices;  // if they do
    dj_progress done;   // bytes of closed inputs; bytes of all inputs
    bool any;           // an access has been read
    bool at_file_start; // the next batch is the first of its input
    bool has_origin;    // the time of the first access is known
    uint64_t origin;
    int error; // reported after the batch that was read before it
    char *message;
} files;

static void close_reader(files *f)
{
    if (f->reading)
        f->format->close(f->reader);
    f->reading = false;
}

// Of the current input.
static uint64_t bytes_read(const files *f)
{
    dj_progress progress;
    dj_input_progress(f->input, &progress);
    return f->slices ? dj_slices_offset(f->slices) : progress.bytes_read;
}

static void close_input(files *f)
{
    if (!f->input)
        return;
    f->done.bytes_read += bytes_read(f);
    dj_slices_destroy(f->slices);
    f->slices = NULL;
    if (!f->format->resume)
        close_reader(f);
    dj_input_close(f->input);
    f->input = NULL;
}

static void files_close(void *state)
{
    files *f = state;
    close_reader(f);
    close_input(f);
    for (size_t i = 0; f->paths && i < f->count; i++)
        free(f->paths[i]);
    free(f->paths);
    free(f->columns);
    free(f->message);
    free(f);
}

static void files_progress(const void *state, dj_progress *out)
{
    const files *f = state;
    *out = f->done;
    if (f->input)
        out->bytes_read += bytes_read(f);
}

// Removes the extension of a compressed file.
static void strip_compression(char *name)
{
    static const char *const endings[] = {".gz", ".zst", ".xz", ".zip"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t ending = strlen(endings[i]);
        if (length > ending && strcasecmp(name + length - ending, endings[i]) == 0) {
            name[length - ending] = '\0';
            return;
        }
    }
}

// Detects the format of the first input, and checks that the others have the same.
static int check_format(files *f, dj_context *context, dj_input *input)
{
    dj_span span;
    int err = dj_input_peek(context, input, DJ_HEAD_BYTES, &span);
    if (err && span.bytes == 0)
        return err;
    if (span.bytes == 0 && f->format)
        return DJ_OK;
    if (span.bytes == 0) {
        dj_input_fail(context, input, 0, "the trace is empty");
        return DJ_ERR_INPUT;
    }
    char *name = strdup(dj_input_name(input));
    if (!name)
        return dj_fail_memory(context, "a name", 0);
    strip_compression(name);
    dj_head head = {span.data, span.bytes < DJ_HEAD_BYTES ? span.bytes : (size_t)DJ_HEAD_BYTES,
                    span.bytes < DJ_HEAD_BYTES && !err, name};
    err = f->format ? DJ_OK : dj_format_detect(context, &head, &f->format);
    int score = err ? 0 : dj_format_score(f->format, &head);
    if (err) {
        err = dj_input_locate(context, input, 0, err);
    } else if (score < 0) {
        err = dj_fail_memory(context, "detecting the format", 0);
    } else if (score == 0) {
        err = dj_input_fail(context, input, 0,
                            "does not look like %s, the format of the first file; "
                            "name the format of all files with --format",
                            f->format->info.name);
    }
    free(name);
    return err;
}

static int open_reader(files *f, dj_context *context, dj_input *input)
{
    int err = DJ_OK;
    if (f->options.follow)
        err = dj_growing_begin(context, input, f->forced, &f->format);
    else if (f->forced)
        f->format = f->forced;
    else
        err = check_format(f, context, input);
    if (!err && f->reading)
        err = f->format->resume(f->reader, context, input);
    else if (!err)
        err = f->format->open(context, input, &f->options, &f->reader);
    if (err) {
        dj_input_close(input);
        return err;
    }
    f->reading = true;
    f->input = input;
    f->at_file_start = f->options.files;
    return DJ_OK;
}

static bool is_empty(dj_context *context, dj_input *input)
{
    dj_span span;
    return dj_input_peek(context, input, 1, &span) == DJ_OK && span.bytes == 0;
}

static int open_next(files *f, dj_context *context)
{
    dj_input *input = NULL;
    int err = f->options.follow ? dj_growing_open(context, f->paths[f->next++], &input)
                                : dj_input_open(context, f->paths[f->next++], &input);
    while (!err && !f->format && f->next < f->count &&
           is_empty(context, input)) { // an empty input does not determine the format
        dj_input_close(input);
        err = dj_input_open(context, f->paths[f->next++], &input);
    }
    return err ? err : open_reader(f, context, input);
}

static int hold_error(files *f, dj_context *context, int err)
{
    f->message = strdup(dj_context_message(context));
    if (!f->message)
        return dj_fail_memory(context, "an error", 0);
    f->error = err;
    return DJ_OK;
}

static int fail_empty(const files *f, dj_context *context)
{
    const char *last = strcmp(f->paths[f->next - 1], "-") == 0 ? "standard input" : f->paths[f->next - 1];
    bool fetches = f->format->info.kind == DJ_CLASS_MEMORY && !f->options.instructions;
    return dj_fail(context, DJ_ERR_INPUT,
                   "%s: no accesses in the trace (format %s); check that it is complete, or name another "
                   "format with --format%s",
                   last, f->format->info.name,
                   fetches ? "; instruction fetches are left out unless --instructions" : "");
}

// Short files are read before threads have started.
static bool is_for_threads(const files *f)
{
    enum { SLICES_LEAST = 4 };
    dj_progress progress;
    dj_input_progress(f->input, &progress);
    return f->threads > 0 && f->format->record_bytes > 0 && dj_input_is_plain(f->input) &&
           progress.bytes_total / f->format->record_bytes >= (uint64_t)SLICES_LEAST * DJ_BATCH_CAPACITY;
}

static const char *files_name(const void *state)
{
    const files *f = state;
    const char *path = f->paths[f->next ? f->next - 1 : 0];
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

// Times are relative to the first access of the trace; earlier times become 0.
static void count_from_first(files *f, dj_batch *batch)
{
    uint64_t *clock = batch->column.clock ? dj_batch_writable(batch).clock : NULL;
    if (!clock || batch->count == 0)
        return;
    if (!f->has_origin)
        f->origin = clock[0];
    f->has_origin = true;
    for (uint32_t i = 0; i < batch->count; i++)
        clock[i] = (int64_t)(clock[i] - f->origin) < 0 ? 0 : clock[i] - f->origin;
}

static int add_file_event(files *f, dj_context *context, dj_batch *batch)
{
    const dj_event event = {.type = DJ_EVENT_FILE, .a = f->next - 1, .text = files_name(f)};
    f->at_file_start = false;
    return dj_batch_add_event(context, batch, &event);
}

static int read_batch(files *f, dj_context *context, dj_pool *pool, dj_batch **out)
{
    if (!f->slices && is_for_threads(f) &&
        dj_slices_create(context, f->input, f->format, pool, f->threads, &f->slices) != DJ_OK)
        f->threads = 0; // continue without threads
    if (f->slices) {    // only formats without events
        int err = dj_slices_next(f->slices, context, out);
        return !err && *out && f->at_file_start ? add_file_event(f, context, *out) : err;
    }
    int err = dj_pool_take(context, pool, out);
    if (!err && f->at_file_start)
        err = add_file_event(f, context, *out);
    if (!err)
        err = f->format->read(f->reader, context, f->input, *out);
    if (*out)
        count_from_first(f, *out);
    return err;
}

static int files_next(void *state, dj_context *context, dj_pool *pool, dj_batch **out)
{
    files *f = state;
    if (f->error)
        return dj_fail(context, (enum dj_err)f->error, "%s", f->message);
    int err = DJ_OK;
    while (!err) {
        dj_batch *batch = NULL;
        if (!f->input && f->next == f->count)
            break;
        if (!f->input)
            err = open_next(f, context);
        if (!err)
            err = read_batch(f, context, pool, &batch);
        // What precedes bad input counts; after other errors there is no result.
        if (batch && (batch->count || batch->event_count) && (!err || err == DJ_ERR_INPUT)) {
            f->any |= batch->count > 0;
            *out = batch;
            return err ? hold_error(f, context, err) : DJ_OK;
        }
        bool closed = true;
        if (!err && f->options.follow)
            err = dj_growing_wait(context, f->input, LOOK_MS, &closed);
        if (!err && !closed) { // an empty batch lets the caller look at the clock
            *out = batch;
            return DJ_OK;
        }
        dj_batch_release(batch);
        if (!err)
            close_input(f);
    }
    return err || f->any ? err : fail_empty(f, context);
}

static void files_use_threads(void *state, unsigned threads)
{
    ((files *)state)->threads = threads;
}

static const dj_source_ops files_ops = {.next = files_next,
                                        .progress = files_progress,
                                        .close = files_close,
                                        .name = files_name,
                                        .use_threads = files_use_threads};

static int add_path(files *f, dj_context *context, const char *path, bool *unknown)
{
    struct stat st;
    bool standard = strcmp(path, "-") == 0;
    if (!standard && stat(path, &st) != 0)
        return dj_fail_open(context, path, errno);
    if (standard || !S_ISREG(st.st_mode))
        *unknown = true;
    else
        f->done.bytes_total += (uint64_t)st.st_size;
    for (size_t i = 0; standard && i < f->count; i++)
        if (strcmp(f->paths[i], "-") == 0)
            return dj_fail(context, DJ_ERR_USAGE, "standard input ('-') can be read only once");
    f->paths[f->count] = strdup(path);
    if (!f->paths[f->count])
        return dj_fail_memory(context, "the name of a file", 0);
    f->count++;
    return DJ_OK;
}

static int choose_format(files *f, dj_context *context, const dj_source_options *options)
{
    if (!options)
        return DJ_OK;
    f->options = *options;
    if (options->columns) {
        f->columns = strdup(options->columns);
        if (!f->columns)
            return dj_fail_memory(context, "the columns", 0);
        f->options.columns = f->columns;
    }
    const char *name = options->format;
    if (!name && options->columns) // only csv has columns to name
        name = "csv";
    f->options.format = NULL;
    if (name)
        f->forced = dj_format_find(context, name);
    return name && !f->forced ? DJ_ERR_USAGE : DJ_OK;
}

static int files_create(dj_context *context, size_t count, const dj_source_options *options, files **out)
{
    files *f = calloc(1, sizeof *f);
    char **paths = calloc(count, sizeof *paths);
    if (!f || !paths) {
        free(f);
        free(paths);
        return dj_fail_memory(context, "a source", 0);
    }
    f->paths = paths;
    int err = choose_format(f, context, options);
    if (err)
        files_close(f);
    else
        *out = f;
    return err;
}

static int files_publish(files *f, dj_context *context, dj_source **out)
{
    const dj_format *format = f->format;
    dj_source_info info = {.format = format->info.name,
                           .kind = format->info.kind,
                           .default_block = format->default_block,
                           .unit_bytes = format->unit_bytes,
                           .columns = format->columns,
                           .default_split = format->default_split,
                           .numbers_devices = format->numbers_devices,
                           .provides = format->provides};
    if (format->describe)
        format->describe(f->reader, &info);
    info.provides |= DJ_COLUMN_FILE;
    return dj_source_create(context, &files_ops, f, &info, out);
}

int dj_source_open(dj_context *context, const char *const *paths, size_t count,
                   const dj_source_options *options, dj_source **out)
{
    if (count == 0)
        return dj_fail(context, DJ_ERR_USAGE, "no trace was given");
    if (count > 1 && options && options->follow)
        return dj_fail(context, DJ_ERR_USAGE, "only one file can be followed, not %zu", count);
    files *f = NULL;
    bool unknown = false;
    int err = files_create(context, count, options, &f);
    if (err)
        return err;
    for (size_t i = 0; !err && i < count; i++)
        err = add_path(f, context, paths[i], &unknown);
    if (unknown || f->options.follow)
        f->done.bytes_total = 0;
    if (!err)
        err = open_next(f, context);
    if (!err)
        err = files_publish(f, context, out);
    if (err)
        files_close(f);
    return err;
}

int dj_source_open_memory(dj_context *context, const void *data, size_t bytes, const char *name,
                          const dj_source_options *options, dj_source **out)
{
    files *f = NULL;
    dj_input *input = NULL;
    int err = files_create(context, 1, options, &f);
    if (err)
        return err;
    f->paths[0] = strdup(name);
    f->count = f->next = 1;
    f->done.bytes_total = bytes;
    err = f->paths[0] ? dj_input_open_memory(context, data, bytes, name, &input)
                      : dj_fail_memory(context, "the name of a trace", 0);
    if (!err)
        err = open_reader(f, context, input);
    if (!err)
        err = files_publish(f, context, out);
    if (err)
        files_close(f);
    return err;
}
