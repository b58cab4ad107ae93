// SPDX-License-Identifier: MIT
#include "cli/options/output.h"

#include <errno.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <deja/render.h>

#include "base/number.h"
#include "base/target.h"
#include "cli/interrupt.h"

static bool reader_left; // such as head, which has seen enough and closed the pipe

typedef struct stream {
    dj_output public; // first, so that a pointer to it is a pointer to the stream
    int fd;
    int fault;        // errno of the first write that failed
    dj_target target; // of -o
} stream;

#define AT(field) offsetof(dj_output_options, field)

static const dj_option table[] = {
    {"json", 0, DJ_OPTION_FLAG | DJ_OPTION_COMMON, AT(json), NULL, "print JSON", NULL},
    {"output", 'o', DJ_OPTION_TEXT | DJ_OPTION_COMMON | DJ_OPTION_FILE, AT(path), "FILE",
     "write the result to FILE; '-' is standard output. An existing FILE is replaced once the new one is "
     "complete; its owner, group and permissions are kept. Symbolic links are followed; other hard links "
     "keep the old content. A name that ends in .dejap stores the profile in columns, which is compact and "
     "lossless",
     NULL},
    {"ascii", 0, DJ_OPTION_FLAG, AT(ascii), NULL, "draw with ASCII characters only, whatever the locale",
     NULL},
    {"no-color", 0, DJ_OPTION_FLAG, AT(no_color), NULL,
     "disable colour, as the environment variable NO_COLOR does", NULL},
    {"width", 0, DJ_OPTION_UINT, AT(width), "N",
     "width of the output in columns, 60 to 200 (default: the environment variable COLUMNS, the width of the "
     "terminal, or 80)",
     NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

bool dj_output_is_columns(const dj_output_options *options)
{
    const char *dot = options->path ? strrchr(options->path, '.') : NULL;
    return dot && strcmp(dot, ".dejap") == 0;
}

static int check_columns(dj_context *context, const dj_output_options *options)
{
    if (!dj_output_is_columns(options))
        return DJ_OK;
    if (!options->profiles)
        return dj_fail(
            context, DJ_ERR_USAGE,
            "-o %s: files with this ending store profiles, which this verb does not produce; use another "
            "name",
            options->path);
    return options->json ? dj_fail(context, DJ_ERR_USAGE,
                                   "--json and -o %s cannot be combined; use a .json file", options->path)
                         : DJ_OK;
}

int dj_output_list(dj_context *context, dj_output_options *options, dj_groups *groups)
{
    groups->output = options;
    return dj_groups_add(context, groups, "Output", table, options);
}

static ssize_t write_all(void *cookie, const char *data, size_t bytes)
{
    stream *s = cookie;
    size_t done = 0;
    while (!s->fault && done < bytes) {
        ssize_t n = write(s->fd, data + done, bytes - done);
        if (n > 0)
            done += (size_t)n;
        else if (n < 0 && errno != EINTR)
            s->fault = errno;
    }
    reader_left |= s->fault == EPIPE;
    return s->fault ? 0 : (ssize_t)done;
}

// Protects a trace, which may have taken days to record, from its own report.
static int refuse_to_overwrite(dj_context *context, const char *path, const struct stat *old,
                               const dj_arguments *read)
{
    for (size_t i = 0; i < read->count; i++) {
        struct stat input;
        if (stat(read->items[i], &input) == 0 && input.st_dev == old->st_dev && input.st_ino == old->st_ino)
            return dj_fail(context, DJ_ERR_USAGE, "-o %s would overwrite the input; use another file", path);
    }
    return DJ_OK;
}

int dj_output_check(dj_context *context, const dj_output_options *options, const dj_arguments *read)
{
    const char *path = options->path;
    if (options->width && (options->width < DJ_WIDTH_LEAST || options->width > DJ_WIDTH_MOST))
        return dj_fail(context, DJ_ERR_USAGE, "--width: %llu is not between %d and %d columns",
                       (unsigned long long)options->width, DJ_WIDTH_LEAST, DJ_WIDTH_MOST);
    int err = check_columns(context, options);
    if (err || !path || strcmp(path, "-") == 0)
        return err;
    struct stat old;
    if (stat(path, &old) == 0 && S_ISREG(old.st_mode))
        err = refuse_to_overwrite(context, path, &old, read);
    return err ? err : dj_target_check(context, path);
}

static void find_width(stream *s, const dj_output_options *options)
{
    dj_output *o = &s->public;
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    uint64_t wanted = options->width;
    if (!wanted && (!columns || !dj_number_parse(columns, &wanted)))
        wanted = 0;
    if (!wanted && o->terminal && ioctl(s->fd, TIOCGWINSZ, &size) == 0)
        wanted = size.ws_col;
    o->sized = wanted > 0;
    wanted = wanted == 0 ? DJ_WIDTH_USUAL : wanted < DJ_WIDTH_LEAST ? DJ_WIDTH_LEAST : wanted;
    o->columns = wanted > DJ_WIDTH_MOST ? DJ_WIDTH_MOST : (unsigned)wanted;
}

static void inspect_terminal(stream *s, const dj_output_options *options)
{
    dj_output *o = &s->public;
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    bool plain = options->no_color || (no_color && *no_color) || (term && strcmp(term, "dumb") == 0);
    o->json = options->json;
    o->as_columns = dj_output_is_columns(options);
    o->terminal = isatty(s->fd) == 1;
    o->color = o->terminal && !plain;
    o->unicode = !options->ascii && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    find_width(s, options);
}

int dj_output_open(dj_context *context, const dj_output_options *options, dj_output **out)
{
    stream *s = calloc(1, sizeof *s);
    if (!s)
        return dj_fail_memory(context, "the output", sizeof *s);
    dj_output *public = &s->public;
    bool to_file = options->path && strcmp(options->path, "-") != 0;
    bool to_errors = !options->path && options->to_errors;
    public->name = to_file ? options->path : to_errors ? "standard error" : "standard output";
    s->fd = to_errors ? STDERR_FILENO : STDOUT_FILENO;
    s->target = (dj_target){.fd = -1, .folder = -1};
    int err = to_file ? dj_target_open(context, options->path, &s->target) : DJ_OK;
    if (err)
        goto fail;
    s->fd = to_file ? s->target.fd : s->fd;
    if (s->target.temporary)
        dj_interrupt_unlink(s->target.temporary);
    inspect_terminal(s, options);
    static const cookie_io_functions_t io = {.write = write_all};
    public->file = fopencookie(s, "w", io);
    if (!public->file) {
        err = dj_fail_memory(context, "the output", 0);
        goto fail;
    }
    setvbuf(public->file, NULL, _IOFBF, 1u << 16);
    *out = public;
    return DJ_OK;
fail:
    dj_output_discard(&public);
    return err;
}

static int report_fault(dj_context *context, const stream *s)
{
    return dj_fail(context, DJ_ERR_IO, "cannot write to %s: %s", s->public.name, strerror(s->fault));
}

static int finish(dj_context *context, stream *s)
{
    bool flushed = fclose(s->public.file) == 0;
    s->public.file = NULL;
    if (!flushed && !s->fault)
        s->fault = EIO;
    dj_interrupt_unlink(NULL); // closing frees its path
    if (!s->fault)
        s->fault = dj_target_close(&s->target);
    return s->fault ? report_fault(context, s) : DJ_OK;
}

bool dj_output_reader_left(void)
{
    return reader_left;
}

int dj_output_close(dj_context *context, dj_output **output)
{
    int err = finish(context, (stream *)*output);
    dj_output_discard(output);
    return err;
}

int dj_output_end(dj_context *context, int err, dj_output **output)
{
    const stream *s = (const stream *)*output;
    if (!err)
        return dj_output_close(context, output);
    if (err == DJ_ERR_IO && s && s->fault)
        err = report_fault(context, s);
    dj_output_discard(output);
    return err;
}

void dj_output_discard(dj_output **output)
{
    stream *s = (stream *)*output;
    if (!s)
        return;
    if (s->public.file)
        fclose(s->public.file);
    if (s->target.temporary)
        dj_interrupt_unlink(NULL);
    dj_target_discard(&s->target);
    free(s);
    *output = NULL;
}
