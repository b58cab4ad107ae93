// SPDX-License-Identifier: MIT
#include "model/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "model/path.h"

// Compares from the end to the start, so that paths with a common end become neighbours.
static int compare_backwards(const void *left, const void *right, void *user)
{
    char *const *files = user;
    const char *a = files[*(const uint32_t *)left], *b = files[*(const uint32_t *)right];
    size_t i = strlen(a), j = strlen(b);
    while (i > 0 && j > 0 && a[i - 1] == b[j - 1])
        i--, j--;
    if (i == 0 || j == 0)
        return (i > 0) - (j > 0);
    return (unsigned char)a[i - 1] - (unsigned char)b[j - 1];
}

// Length of the common end of two different paths, in complete path components.
static size_t common_end(const char *a, const char *b)
{
    size_t i = strlen(a), j = strlen(b), common = 0, parts = 0;
    while (common < i && common < j && a[i - 1 - common] == b[j - 1 - common]) {
        common++;
        bool begins_a = common == i || a[i - 1 - common] == '/',
             begins_b = common == j || b[j - 1 - common] == '/';
        parts = begins_a && begins_b ? common : parts;
    }
    return common == i && common == j ? 0 : parts;
}

// The shortest end of a path, starting after a slash, that is longer than `common`.
static const char *shorten(const char *path, size_t common)
{
    const char *at = dj_file_name(path);
    while (at > path && strlen(at) <= common) {
        at--;
        while (at > path && at[-1] != '/')
            at--;
    }
    return at;
}

static int shorten_files(dj_names *names, dj_context *context)
{
    const dj_attribution *a = names->a;
    uint32_t *order = calloc(a->file_count + 1, sizeof *order);
    names->files = calloc(a->file_count + 1, sizeof *names->files);
    if (!order || !names->files) {
        free(order);
        return dj_fail_memory(context, "names of files", a->file_count * sizeof *names->files);
    }
    for (uint32_t i = 0; i < a->file_count; i++)
        order[i] = i;
    qsort_r(order, a->file_count, sizeof *order, compare_backwards, a->files);
    for (size_t i = 0; i < a->file_count; i++) {
        const char *path = a->files[order[i]];
        size_t before = i > 0 ? common_end(a->files[order[i - 1]], path) : 0;
        size_t after = i + 1 < a->file_count ? common_end(path, a->files[order[i + 1]]) : 0;
        names->files[order[i]] = shorten(path, before > after ? before : after);
    }
    free(order);
    return DJ_OK;
}

int dj_names_create(dj_names *names, dj_context *context, const dj_attribution *a)
{
    *names = (dj_names){.a = a};
    return shorten_files(names, context);
}

void dj_names_destroy(dj_names *names)
{
    free(names->files);
    *names = (dj_names){0};
}

static const char *names_file(const dj_names *names, uint32_t file)
{
    return dj_row_is(file, names->a->file_count) ? names->files[file] : "";
}

const char *dj_names_function(const dj_names *names, uint32_t function)
{
    if (!dj_row_is(function, names->a->function_count))
        return "?";
    return names->aliases ? names->aliases[function] : names->a->functions[function].name;
}

const char *dj_names_module(const dj_names *names, uint32_t module)
{
    return dj_row_is(module, names->a->module_count) ? dj_file_name(names->a->modules[module].path) : "?";
}

DJ_PRINTF(1, 2) static char *print(const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    return length < 0 ? NULL : text;
}

char *dj_names_line(const dj_names *names, uint32_t file, uint32_t line)
{
    return print("%s:%" PRIu32, names_file(names, file), line);
}

bool dj_names_loop_has_lines(const dj_names *names, uint32_t loop)
{
    return !dj_row_is(loop, names->a->loop_count) ||
           (names->a->loops[loop].first_line > 0 &&
            dj_row_is(names->a->loops[loop].file, names->a->file_count));
}

// Where a name goes: to a stream, or into a text. Each name is one call.
typedef void printer(void *to, const char *format, va_list args);

static void print_to_file(void *to, const char *format, va_list args)
{
    vfprintf(to, format, args);
}

static void print_to_text(void *to, const char *format, va_list args)
{
    char **text = to;
    if (vasprintf(text, format, args) < 0)
        *text = NULL;
}

typedef struct target {
    printer *print;
    void *to;
} target;

DJ_PRINTF(2, 3) static void put(const target *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    out->print(out->to, format, args);
    va_end(args);
}

static void put_loop(const dj_names *names, uint32_t loop, const target *out)
{
    const dj_loop_row *row = dj_row_is(loop, names->a->loop_count) ? &names->a->loops[loop] : NULL;
    const char *function = row ? dj_names_function(names, row->function) : "?";
    if (!row)
        put(out, "?");
    else if (!dj_names_loop_has_lines(names, loop))
        put(out, "loop at depth %" PRIu32 " in %s", row->depth, function);
    else if (row->last_line <= row->first_line)
        put(out, "%s:%" PRIu32 " in %s", names_file(names, row->file), row->first_line, function);
    else
        put(out, "%s:%" PRIu32 "-%" PRIu32 " in %s", names_file(names, row->file), row->first_line,
            row->last_line, function);
}

static void put_site(const dj_names *names, uint32_t site, const target *out)
{
    const dj_site_row *row = dj_row_is(site, names->a->site_count) ? &names->a->sites[site] : NULL;
    if (!row)
        put(out, "?");
    else if (row->line > 0 && dj_row_is(row->file, names->a->file_count))
        put(out, "%s:%" PRIu32, names_file(names, row->file), row->line);
    else if (dj_row_is(row->module, names->a->module_count) &&
             dj_module_is_lost(&names->a->modules[row->module]))
        put(out, "0x%" PRIx64 " in %s", row->offset, dj_names_module(names, row->module));
    else if (dj_row_is(row->function, names->a->function_count))
        put(out, "%s", dj_names_function(names, row->function));
    else
        put(out, "%s", dj_names_module(names, row->module));
}

static void put_thread(const dj_names *names, uint32_t thread, const target *out)
{
    const dj_thread_row *row = dj_row_is(thread, names->a->thread_count) ? &names->a->threads[thread] : NULL;
    if (!row)
        put(out, "(unknown thread)");
    else if (row->name && *row->name)
        put(out, "%s", row->name);
    else
        put(out, "thread %" PRIu64, row->id);
}

static void put_data(const dj_names *names, uint32_t object, const char *element, const target *out)
{
    bool known = dj_row_is(object, names->a->object_count);
    const char *name = known ? names->a->objects[object].name : NULL;
    enum dj_object_kind kind = known ? names->a->objects[object].kind : DJ_OBJECT_UNKNOWN;
    name = name && *name ? name : "(unknown data)";
    const char *remark = kind == DJ_OBJECT_HEAP || kind == DJ_OBJECT_MAPPED ? strstr(name, " (") : NULL;
    for (const char *next = remark; next;
         next = strstr(next + 1, " (")) // the last one: types contain them too
        remark = next;
    int before = (int)(remark ? (size_t)(remark - name) : strlen(name));
    put(out, "%.*s%s%s", before, name, element ? element : "", remark ? remark : "");
}

void dj_names_put_loop(const dj_names *names, uint32_t loop, FILE *out)
{
    put_loop(names, loop, &(target){print_to_file, out});
}

void dj_names_put_site(const dj_names *names, uint32_t site, FILE *out)
{
    put_site(names, site, &(target){print_to_file, out});
}

void dj_names_put_thread(const dj_names *names, uint32_t thread, FILE *out)
{
    put_thread(names, thread, &(target){print_to_file, out});
}

void dj_names_put_data(const dj_names *names, uint32_t object, const char *element, FILE *out)
{
    put_data(names, object, element, &(target){print_to_file, out});
}

char *dj_names_loop(const dj_names *names, uint32_t loop)
{
    char *text = NULL;
    put_loop(names, loop, &(target){print_to_text, &text});
    return text;
}

char *dj_names_site(const dj_names *names, uint32_t site)
{
    char *text = NULL;
    put_site(names, site, &(target){print_to_text, &text});
    return text;
}

char *dj_names_thread(const dj_names *names, uint32_t thread)
{
    char *text = NULL;
    put_thread(names, thread, &(target){print_to_text, &text});
    return text;
}

char *dj_names_data(const dj_names *names, uint32_t object, const char *element)
{
    char *text = NULL;
    put_data(names, object, element, &(target){print_to_text, &text});
    return text;
}

char *dj_names_use(const dj_names *names, uint32_t site)
{
    char *line = dj_names_site(names, site);
    uint32_t function = dj_row_is(site, names->a->site_count) ? names->a->sites[site].function : DJ_NOWHERE;
    if (!line || function == DJ_NOWHERE || !strchr(line, ':'))
        return line;
    char *text = print("%s in %s", line, dj_names_function(names, function));
    free(line);
    return text;
}

// Starts at main; frames before it are not informative.
char *dj_names_path(const dj_names *names, uint32_t context)
{
    const dj_attribution *a = names->a;
    char *path = print("%s", "");
    while (path && dj_row_is(context, a->cct_count)) {
        const dj_cct_node *row = &a->cct[context];
        context = row->parent < context ? row->parent : DJ_NOWHERE;
        if (!dj_row_is(row->function, a->function_count))
            continue;
        const char *name = dj_names_function(names, row->function);
        char *longer = print("%s%s%s", name, *path ? " > " : "", path);
        free(path);
        path = longer;
        if (strcmp(name, "main") == 0)
            break;
    }
    return path;
}
