// SPDX-License-Identifier: MIT
#include "cli/source_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

enum { SOURCE_MOST = 1 << 28 }; // bytes to read at most

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

// The longest tail of `path` that exists in `folder`; NULL if there is none, or if memory runs out.
static char *find_in(const char *folder, const char *path)
{
    for (const char *end = path; end; end = strchr(end, '/')) {
        char *joined = NULL;
        end += strspn(end, "/");
        if (asprintf(&joined, "%s/%s", folder, end) < 0)
            return NULL;
        if (is_file(joined))
            return joined;
        free(joined);
    }
    return NULL;
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

static int read_lines(dj_context *context, FILE *in, dj_annotated_text *text)
{
    char *line = NULL;
    size_t capacity = 0, total = 0;
    ssize_t bytes;
    int err = DJ_OK;
    while (!err && (bytes = getline(&line, &capacity, in)) > 0 && total < SOURCE_MOST) {
        total += (size_t)bytes;
        while (bytes > 0 && (line[bytes - 1] == '\n' || line[bytes - 1] == '\r'))
            bytes--;
        err = add_line(context, text, line, (size_t)bytes);
    }
    free(line);
    return err;
}

// On failure returns NULL and the reason in *fault. Rejects pipes, which would block.
static FILE *open_file(const char *path, struct stat *about, const char **fault)
{
    FILE *in = NULL;
    bool exists = stat(path, about) == 0;
    if (exists && !S_ISREG(about->st_mode)) {
        *fault = "not a regular file";
        return NULL;
    }
    if (exists)
        in = fopen(path, "r");
    if (!in)
        *fault = strerror(errno);
    return in;
}

int dj_source_text_read(dj_context *context, const char *path, const char *typed, const char *folder,
                        time_t created, dj_annotated_text *out)
{
    *out = (dj_annotated_text){.path = NULL};
    char *found = typed && is_file(typed) ? strdup(typed) : folder ? find_in(folder, path) : NULL;
    found = found ? found : strdup(path);
    if (!found)
        return dj_fail_memory(context, "a file name", strlen(path));
    out->path = found;
    struct stat about;
    FILE *in = open_file(found, &about, &out->fault);
    if (!in)
        return DJ_OK;
    out->newer = created > 0 && about.st_mtime > created;
    int err = read_lines(context, in, out);
    fclose(in);
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
