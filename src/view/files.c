// SPDX-License-Identifier: MIT
// The files of the code, and their sources: those with the most accesses first, as long as there is space.
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "profile/fields.h"
#include "view/parts.h"

enum { SOURCES_MOST = 2 << 20, SOURCE_MOST = 1 << 20 }; // bytes

typedef struct file {
    const char *path;
    bool shown;
    uint32_t lines;
    const char *text, *reason;
    bool newer;
} file;

typedef struct files {
    file *list;
    size_t count;
} files;

static const dj_field file_fields[] = {
    DJ_AT(TEXT, "path", file, path), DJ_AT(BOOL, "shown", file, shown),   DJ_AT(U32, "lines", file, lines),
    DJ_AT(TEXT, "text", file, text), DJ_AT(TEXT, "reason", file, reason), DJ_AT(BOOL, "newer", file, newer),
    DJ_END,
};
static const dj_table file_table = {file_fields, sizeof(file), DJ_ROW_OBJECT};
static const dj_field files_fields[] = {
    {DJ_FIELD_ROWS("rows", files, list, count, file_table)},
    DJ_END,
};

typedef struct heat {
    uint32_t file;
    uint64_t accesses;
} heat;

static int hottest(const void *a, const void *b)
{
    const heat *x = a, *y = b;
    if (x->accesses != y->accesses)
        return x->accesses < y->accesses ? 1 : -1;
    return (x->file > y->file) - (x->file < y->file);
}

// Line ends and tabs stay; everything else that is not plain becomes '?'. Never longer.
static void clean(char *text)
{
    char *to = text;
    for (char *at = text; *at;) {
        char *end = at + strcspn(at, "\n\t");
        const char kept = *end;
        *end = 0;
        dj_plain_clean(at);
        const size_t bytes = strlen(at);
        memmove(to, at, bytes);
        to += bytes;
        if (kept)
            *to++ = kept;
        at = end + (kept != 0);
    }
    *to = 0;
}

static int read_one(dj_context *context, const dj_view_request *request, unsigned profile, file *to,
                    size_t *room, dj_arena *arena)
{
    dj_view_source source = {.reason = "the page was made without sources (--no-source)"};
    int err = request->read ? request->read(request->state, context, profile, to->path, &source) : DJ_OK;
    if (!err && source.text) {
        const size_t bytes = strlen(source.text);
        if (bytes > SOURCE_MOST)
            source.reason = "the file is larger than 1 MiB, the most that a page contains of one";
        else if (bytes > *room)
            source.reason = "the page contains 2 MiB of sources, the most; files with more accesses come first";
        else {
            clean(source.text);
            to->text = dj_arena_copy(arena, source.text, strlen(source.text));
            to->shown = true;
            to->lines = (uint32_t)source.lines;
            to->newer = source.newer;
            source.reason = "";
            *room -= bytes;
        }
    }
    to->reason = dj_arena_copy(arena, source.reason, strlen(source.reason));
    free(source.text);
    return err;
}

// Files without any accesses are not read.
static int read_all(dj_context *context, const dj_view_request *request, unsigned profile, heat *heats,
                    dj_arena *arena, files *to)
{
    size_t room = SOURCES_MOST;
    int err = DJ_OK;
    qsort(heats, to->count, sizeof *heats, hottest);
    for (size_t i = 0; !err && i < to->count; i++) {
        file *f = &to->list[heats[i].file];
        f->reason = "no access is in this file";
        if (heats[i].accesses > 0)
            err = read_one(context, request, profile, f, &room, arena);
    }
    return err;
}

int dj_view_add_files(dj_view_sections *sections, const dj_view_request *request, const dj_view_breakdowns *of)
{
    const dj_attribution *a = of->a;
    const dj_breakdown *lines = of->by[DJ_BY_LINE];
    dj_arena arena = {0};
    files all = {.list = dj_arena_alloc(&arena, a->file_count + 1, sizeof *all.list), .count = a->file_count};
    heat *heats = dj_arena_alloc(&arena, a->file_count + 1, sizeof *heats);
    int err = all.list && heats ? DJ_OK : dj_fail_memory(sections->context, "a page", 0);
    for (uint32_t i = 0; !err && i < a->file_count; i++) {
        all.list[i].path = a->files[i];
        heats[i].file = i;
    }
    for (size_t i = 0; !err && i < lines->count; i++)
        if (lines->entities[i].file < a->file_count)
            heats[lines->entities[i].file].accesses += lines->entities[i].exclusive.accesses;
    if (!err)
        err = read_all(sections->context, request, sections->profile, heats, &arena, &all);
    if (!err && arena.failed)
        err = dj_fail_memory(sections->context, "a page", 0);
    if (!err)
        err = dj_view_add(sections, "files", DJ_VIEW_VERSION, 0, files_fields, &all);
    dj_arena_free(&arena);
    return err;
}
