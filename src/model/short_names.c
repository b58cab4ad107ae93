// SPDX-License-Identifier: MIT
#include "model/short_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "model/code_name.h"
#include "model/path.h"

// Rows with a name, in steps from the shortest to the most complete. A row that looks like another one takes
// the next step.
typedef struct rows {
    dj_attribution *a;
    size_t count;
    char **(*name)(const dj_attribution *a, size_t row);
    // `number` counts the rows that look alike. NULL: out of memory.
    char *(*step)(const dj_attribution *a, size_t row, unsigned step, size_t number);
    unsigned first, last;
    char **full; // the names of the attribution, meanwhile
} rows;

struct dj_short_names {
    rows functions, objects;
};

static char **function_name(const dj_attribution *a, size_t row)
{
    return &a->functions[row].name;
}

static char **object_name(const dj_attribution *a, size_t row)
{
    return &a->objects[row].name;
}

static char *with_place(const dj_attribution *a, const char *name, uint32_t file, uint32_t line)
{
    char *text = NULL;
    if (!dj_row_is(file, a->file_count) || line == 0)
        return strdup(name);
    return asprintf(&text, "%s (%s:%" PRIu32 ")", name, dj_file_name(a->files[file]), line) < 0 ? NULL : text;
}

static char *with_module(const dj_attribution *a, const char *name, uint32_t module)
{
    char *text = NULL;
    if (!dj_row_is(module, a->module_count))
        return strdup(name);
    return asprintf(&text, "%s in %s", name, dj_file_name(a->modules[module].path)) < 0 ? NULL : text;
}

enum { SHORT, TEMPLATES, FULL, PLACE, MODULE, NUMBER };

static char *with_number(const char *name, size_t number)
{
    char *text = NULL;
    return asprintf(&text, "%s #%zu", name, number) < 0 ? NULL : text;
}

static char *step_function(const dj_attribution *a, size_t row, unsigned step, size_t number)
{
    const dj_function_row *f = &a->functions[row];
    const char *name = f->name ? f->name : "";
    switch (step) {
    case SHORT:
        return dj_code_name(name, DJ_CODE_NAME_SHORT);
    case TEMPLATES:
        return dj_code_name(name, DJ_CODE_NAME_TEMPLATES);
    case PLACE:
        return with_place(a, name, f->file, f->line);
    case MODULE:
        return with_module(a, name, f->module);
    case NUMBER:
        return with_number(name, number);
    default:
        return strdup(name);
    }
}

// A heap block is named with its place already.
static char *step_object(const dj_attribution *a, size_t row, unsigned step, size_t number)
{
    const dj_object_row *o = &a->objects[row];
    const char *name = o->name ? o->name : "";
    const size_t length = strlen(name);
    if (step == SHORT || step == TEMPLATES)
        return step == SHORT ? dj_code_name(name, DJ_CODE_NAME_DATA) : strdup(name);
    if (step == PLACE && !(length && name[length - 1] == ')'))
        return with_place(a, name, o->file, o->line);
    if (step == NUMBER)
        return with_number(name, number);
    return strdup(name);
}

static int by_name(const void *left, const void *right, void *user)
{
    const rows *r = user;
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    const int order = strcmp(*r->name(r->a, a), *r->name(r->a, b));
    return order ? order : (a > b) - (a < b);
}

static bool replace(rows *r, uint32_t row, unsigned step, size_t number)
{
    char **name = r->name(r->a, row), *shown = *name;
    *name = r->full[row];
    char *next = r->step(r->a, row, step, number);
    if (!next) {
        *name = shown;
        return false;
    }
    if (shown != r->full[row])
        free(shown);
    *name = next;
    return true;
}

// Takes one more step where neighbours in the order are alike.
static bool distinguish(rows *r, uint32_t *order, unsigned step, bool *more)
{
    qsort_r(order, r->count, sizeof *order, by_name, r);
    size_t *alike = calloc(r->count + 1, sizeof *alike); // 0: none; otherwise its number among them
    if (!alike)
        return false;
    for (size_t i = 1; i < r->count; i++)
        if (strcmp(*r->name(r->a, order[i - 1]), *r->name(r->a, order[i])) == 0) {
            alike[i - 1] = alike[i - 1] ? alike[i - 1] : 1;
            alike[i] = alike[i - 1] + 1;
            *more = true;
        }
    bool good = true;
    for (size_t i = 0; good && i < r->count; i++)
        good = !alike[i] || replace(r, order[i], step, alike[i]);
    free(alike);
    return good;
}

static int shorten(dj_context *context, rows *r)
{
    uint32_t *order = calloc(r->count + 1, sizeof *order);
    r->full = calloc(r->count + 1, sizeof *r->full);
    bool good = order && r->full;
    if (!r->full)
        r->count = 0;
    for (size_t i = 0; i < r->count; i++)
        r->full[i] = *r->name(r->a, i);
    for (uint32_t i = 0; good && i < r->count; i++) {
        order[i] = i;
        good = replace(r, i, r->first, 1);
    }
    bool more = good;
    for (unsigned step = r->first + 1; good && more && step <= r->last; step++) {
        more = false;
        good = distinguish(r, order, step, &more);
    }
    free(order);
    return good ? DJ_OK : dj_fail_memory(context, "short names", 0);
}

static void restore(rows *r)
{
    for (size_t i = 0; r->full && i < r->count; i++) {
        char **name = r->name(r->a, i);
        if (*name != r->full[i])
            free(*name);
        *name = r->full[i];
    }
    free(r->full);
}

int dj_short_names_begin(dj_context *context, dj_attribution *a, bool full, dj_short_names **out)
{
    const unsigned first = full ? FULL : SHORT;
    dj_short_names *names = calloc(1, sizeof *names);
    *out = NULL;
    if (!names)
        return dj_fail_memory(context, "short names", sizeof *names);
    names->functions =
        (rows){.a = a, .count = a->function_count, .name = function_name, .step = step_function};
    names->objects = (rows){.a = a, .count = a->object_count, .name = object_name, .step = step_object};
    names->functions.first = names->objects.first = first;
    names->functions.last = names->objects.last = NUMBER;
    int err = shorten(context, &names->functions);
    if (!err)
        err = shorten(context, &names->objects);
    if (err)
        dj_short_names_end(names);
    else
        *out = names;
    return err;
}

void dj_short_names_end(dj_short_names *names)
{
    if (!names)
        return;
    restore(&names->functions);
    restore(&names->objects);
    free(names);
}
