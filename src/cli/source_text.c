// SPDX-License-Identifier: MIT
#include "cli/source_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

enum { PIECE = 1 << 16, LINES_MOST = 1 << 20, LINE_MOST = 4096 }; // the rest of a longer line is left out

// Whether `path` is `end`, or ends in it after a slash.
static bool ends_in(const char *path, const char *end)
{
    size_t long_bytes = strlen(path), short_bytes = strlen(end);
    if (short_bytes == 0 || short_bytes > long_bytes)
        return false;
    const char *at = path + long_bytes - short_bytes;
    return strcmp(at, end) == 0 && (at == path || at[-1] == '/' || *end == '/');
}

static bool matches(const char *name, const char *typed)
{
    while (strncmp(typed, "./", 2) == 0)
        typed += 2;
    while (strncmp(name, "./", 2) == 0)
        name += 2;
    return ends_in(name, typed) || ends_in(typed, name);
}

static bool is_file(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

// How well a file matches what was typed: 3 exactly, 2 by its end, 1 by its base name
// only, which suffices if the file exists `here`: it was moved since it was compiled.
// 0: not at all.
static int rate_match(const char *name, const char *typed, bool here)
{
    if (strcmp(name, typed) == 0)
        return 3;
    if (matches(name, typed))
        return 2;
    return here && strcmp(dj_file_name(name), dj_file_name(typed)) == 0;
}

int dj_source_text_match(dj_context *context, const dj_annotated *listing, const char *typed,
                         const dj_annotated_file **out)
{
    char *const *names = listing->attribution->files;
    const dj_annotated_file *found = NULL, *second = NULL;
    int best = 0;
    bool here = is_file(typed);
    for (size_t i = 0; i < listing->file_count; i++) {
        int match = rate_match(names[listing->files[i].file], typed, here);
        if (match > 0 && match >= best) {
            second = match == best ? found : NULL;
            found = &listing->files[i];
            best = match;
        }
    }
    if (!found)
        return dj_fail(context, DJ_ERR_USAGE,
                       "the profile contains no costs in %s; 'deja annotate PROFILE' shows its files", typed);
    if (second)
        return dj_fail(context, DJ_ERR_USAGE, "%s may be %s or %s; give more of the path", typed,
                       names[second->file], names[found->file]);
    *out = found;
    return DJ_OK;
}

// The longest tail of `path` that exists in one of the folders, else the path itself; NULL if memory runs
// out.
static char *find_in(const char *folders, const char *path)
{
    char folder[PATH_MAX];
    const char *end = path;
    do {
        end += strspn(end, "/");
        for (const char *rest = folders; (rest = dj_source_folder_next(rest, folder));) {
            char *joined = NULL;
            if (asprintf(&joined, "%s/%s", folder, end) < 0)
                return NULL;
            if (is_file(joined))
                return joined;
            free(joined);
        }
    } while ((end = strchr(end, '/')));
    return strdup(path);
}

static int add_line(dj_context *context, dj_annotated_text *text, const char *line, size_t bytes)
{
    if ((text->line_count & (text->line_count - 1)) == 0) {
        size_t capacity = text->line_count == 0 ? 1 : 2 * text->line_count;
        char **larger = reallocarray(text->lines, capacity, sizeof *larger);
        if (!larger)
            return dj_fail_memory(context, "a source file", capacity * sizeof *larger);
        text->lines = larger;
    }
    char *copy = strndup(line, bytes);
    if (!copy)
        return dj_fail_memory(context, "a source file", bytes);
    text->lines[text->line_count++] = copy;
    return DJ_OK;
}

typedef struct line {
    char bytes[LINE_MOST];
    size_t used;
} line;

static int end_line(dj_context *context, line *l, dj_annotated_text *text)
{
    while (l->used > 0 && l->bytes[l->used - 1] == '\r')
        l->used--;
    int err = add_line(context, text, l->bytes, l->used);
    l->used = 0;
    return err;
}

static int add_piece(dj_context *context, const char *piece, size_t bytes, line *l, dj_annotated_text *text)
{
    int err = DJ_OK;
    for (const char *at = piece, *end = piece + bytes; !err && at < end && text->line_count < LINES_MOST;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((newline ? newline : end) - at), space = sizeof l->bytes - l->used;
        memcpy(l->bytes + l->used, at, length < space ? length : space);
        l->used += length < space ? length : space;
        if (newline)
            err = end_line(context, l, text);
        at += length + (newline != NULL);
    }
    return err;
}

// The file may grow meanwhile.
static int read_lines(dj_context *context, int fd, dj_annotated_text *text)
{
    struct buffers {
        char piece[PIECE];
        line line;
    } *b = calloc(1, sizeof *b);
    if (!b)
        return dj_fail_memory(context, "a source file", sizeof *b);
    int err = DJ_OK;
    ssize_t bytes;
    for (size_t total = 0; !err && total < DJ_SOURCE_MOST; total += (size_t)bytes) {
        bytes = dj_read_all(fd, b->piece, sizeof b->piece);
        if (bytes < 0)
            err = dj_fail(context, DJ_ERR_IO, "%s: cannot read: %s", text->path, strerror(errno));
        if (bytes <= 0)
            break;
        err = add_piece(context, b->piece, (size_t)bytes, &b->line, text);
    }
    if (!err && b->line.used > 0)
        err = end_line(context, &b->line, text);
    free(b);
    return err;
}

int dj_source_text_read(dj_context *context, const char *path, const char *typed,
                        const dj_source_scope *scope, time_t created, dj_annotated_text *out)
{
    static const dj_source_scope named = {.anywhere = true};
    *out = (dj_annotated_text){.path = NULL};
    bool by_user = typed && is_file(typed);
    char *found = by_user ? strdup(typed) : find_in(scope->folders, path);
    if (!found)
        return dj_fail_memory(context, "a file name", strlen(path));
    out->path = found;
    const dj_source_file file = dj_source_file_open(found, by_user ? &named : scope);
    if (file.error && !dj_is_wrong_path(file.error)) {
        int err = dj_fail_open(context, found, file.error);
        dj_source_text_free(out);
        return err;
    }
    out->fault = file.fault;
    out->outside = file.outside;
    out->unfit = file.unfit;
    if (file.fd < 0)
        return DJ_OK;
    out->newer = created > 0 && file.about.st_mtime > created;
    int err = read_lines(context, file.fd, out);
    close(file.fd);
    if (err)
        dj_source_text_free(out);
    return err;
}

void dj_source_text_free(dj_annotated_text *text)
{
    for (size_t i = 0; i < text->line_count; i++)
        free(text->lines[i]);
    free(text->lines);
    free((char *)(uintptr_t)text->path);
    *text = (dj_annotated_text){.path = NULL};
}
