// SPDX-License-Identifier: MIT
#include "cli/options/output.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <deja/render.h>

#include "base/number.h"
#include "cli/interrupt.h"
#include "render/plain.h"

typedef struct stream {
    dj_output public; // first, so that a pointer to it is a pointer to the stream
    int fd;
    bool owns_fd;
    int fault;       // errno of the first write that failed
    char *target;    // NULL: write in place
    char *temporary; // exists until renamed to target
} stream;

#define AT(field) offsetof(dj_output_options, field)

static const dj_option table[] = {
    {"json", 0, DJ_OPTION_FLAG | DJ_OPTION_COMMON, AT(json), NULL, "print JSON", NULL},
    {"output", 'o', DJ_OPTION_TEXT | DJ_OPTION_COMMON | DJ_OPTION_FILE, AT(path), "FILE",
     "write the result to FILE; an existing FILE is kept until the new one is complete; '-' is standard "
     "output. "
     "A name that "
     "ends "
     "in .dejap stores the profile in columns, which is compact and lossless",
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
    return s->fault ? 0 : (ssize_t)done;
}

static int refuse(dj_context *context, const char *name, int fault)
{
    return dj_fail(context, DJ_ERR_IO, "cannot write to %s: %s", name, strerror(fault));
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
    bool exists = stat(path, &old) == 0;
    if (exists && S_ISDIR(old.st_mode))
        return refuse(context, path, EISDIR);
    if (exists && !S_ISREG(old.st_mode))
        return access(path, W_OK) == 0 ? DJ_OK : refuse(context, path, errno);
    err = exists ? refuse_to_overwrite(context, path, &old, read) : DJ_OK;
    if (err)
        return err;
    const char *slash = strrchr(path, '/');
    char *folder = !slash ? strdup(".") : slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
    if (!folder)
        return dj_fail_memory(context, "a file name", 0);
    err = access(folder, W_OK | X_OK) == 0 ? DJ_OK : refuse(context, path, errno);
    free(folder);
    return err;
}

// Creates a temporary file in the target's folder, so that the rename is atomic, with the permissions that a
// plain open would give it.
static int open_temporary(dj_context *context, stream *s, const char *path)
{
    char *followed = realpath(path, NULL); // keep a symbolic link
    s->target = followed ? followed : strdup(path);
    if (!s->target || asprintf(&s->temporary, "%s.XXXXXX", s->target) < 0) {
        s->temporary = NULL;
        return dj_fail_memory(context, "a file name", 0);
    }
    struct stat old;
    mode_t mask = umask(0);
    umask(mask);
    mode_t mode = stat(s->target, &old) == 0 ? (old.st_mode & 07777) : (0666 & ~mask);
    s->fd = mkstemp(s->temporary);
    if (s->fd < 0) {
        int fault = errno;
        free(s->temporary);
        s->temporary = NULL;
        return refuse(context, path, fault);
    }
    s->owns_fd = true;
    dj_interrupt_unlink(s->temporary);
    if (fchmod(s->fd, mode) != 0)
        return refuse(context, path, errno);
    return DJ_OK;
}

// Devices and pipes cannot be replaced by a rename; they are written in place.
static int open_target(dj_context *context, stream *s, const char *path)
{
    struct stat old;
    bool exists = stat(path, &old) == 0;
    if (exists && S_ISDIR(old.st_mode))
        return refuse(context, path, EISDIR);
    if (!exists || S_ISREG(old.st_mode))
        return open_temporary(context, s, path);
    s->fd = open(path, O_WRONLY | O_CLOEXEC);
    if (s->fd < 0)
        return refuse(context, path, errno);
    s->owns_fd = true;
    return DJ_OK;
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
    int err = to_file ? open_target(context, s, options->path) : DJ_OK;
    if (err)
        goto fail;
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

static int finish(dj_context *context, stream *s)
{
    bool flushed = fclose(s->public.file) == 0;
    s->public.file = NULL;
    if (!flushed && !s->fault)
        s->fault = EIO;
    if (s->owns_fd && close(s->fd) != 0 && !s->fault)
        s->fault = errno;
    s->owns_fd = false;
    if (!s->fault && s->temporary) {
        if (rename(s->temporary, s->target) != 0)
            s->fault = errno;
        else
            dj_interrupt_unlink(NULL);
        if (!s->fault) {
            free(s->temporary);
            s->temporary = NULL;
        }
    }
    return s->fault ? refuse(context, s->public.name, s->fault) : DJ_OK;
}

int dj_output_close(dj_context *context, dj_output **output)
{
    int err = finish(context, (stream *)*output);
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
    if (s->owns_fd)
        close(s->fd);
    if (s->temporary) {
        unlink(s->temporary);
        dj_interrupt_unlink(NULL);
    }
    free(s->temporary);
    free(s->target);
    free(s);
    *output = NULL;
}

// Without an allocation: what it prints may be that memory has run out.
static void print_lines(const char *text)
{
    while (*text) {
        const char *piece = "\n";
        size_t bytes = *text == '\n' ? 1 : dj_plain_next(&text, true, &piece);
        text += *text == '\n' && piece[0] == '\n';
        fwrite(piece, 1, bytes, stderr);
    }
}

void dj_output_message_about(const char *before, const char *name, const char *after)
{
    fprintf(stderr, "deja: %s", before);
    print_lines(name);
    fprintf(stderr, "%s\n", after);
}

void dj_output_message(const char *prefix, const char *text)
{
    dj_output_message_about(prefix, text, "");
}

void dj_output_warn_estimate(const dj_provenance *from)
{
    if (!from->exact)
        dj_output_message_about("the numbers are estimates by engine ", from->engine, ", not exact");
}
