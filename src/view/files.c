// SPDX-License-Identifier: MIT
// The files of the code, and their sources: those with the most accesses first, as long as there is space.
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "profile/fields.h"
#include "view/files.h"

enum { SOURCES_MOST = 2 << 20, SOURCE_MOST = 1 << 20 }; // bytes

static const dj_field file_fields[] = {
    DJ_AT(TEXT, "path", dj_view_file, path),
    DJ_AT(BOOL, "shown", dj_view_file, shown),
    DJ_AT(U32, "lines", dj_view_file, lines),
    DJ_AT(TEXT, "text", dj_view_file, text),
    DJ_AT(TEXT, "reason", dj_view_file, reason),
    DJ_AT(BOOL, "newer", dj_view_file, newer),
    DJ_END,
};
static const dj_table file_table = {file_fields, sizeof(dj_view_file), DJ_ROW_OBJECT};
static const dj_field files_fields[] = {
    {DJ_FIELD_ROWS("rows", dj_view_files, list, count, file_table)},
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

// Takes the text, if there is space for it. Returns why it does not; "": it does.
static const char *take(dj_view_source *source, size_t *room, dj_view_file *to, dj_arena *arena)
{
    const size_t bytes = strlen(source->text);
    if (bytes > SOURCE_MOST)
        return "the file is larger than 1 MiB, the most that a page contains of one";
    if (bytes > *room)
        return "the page contains 2 MiB of sources, the most; files with more accesses come first";
    clean(source->text);
    to->text = dj_arena_copy(arena, source->text, strlen(source->text));
    to->shown = true;
    to->lines = (uint32_t)source->lines;
    to->newer = source->newer;
    *room -= bytes;
    return "";
}

static int read_one(dj_context *context, const dj_view_request *request, unsigned profile, dj_view_file *to,
                    size_t *room, dj_arena *arena)
{
    dj_view_source source = {.reason = "the page was made without sources (--no-source)"};
    int err = request->read ? request->read(request->state, context, profile, to->path, &source) : DJ_OK;
    if (err)
        return err;
    const char *reason = source.text ? take(&source, room, to, arena) : source.reason;
    to->reason = dj_arena_copy(arena, reason, strlen(reason));
    free(source.text);
    return DJ_OK;
}

// Files without any accesses are not read.
static int read_all(dj_context *context, const dj_view_request *request, unsigned profile, heat *heats,
                    dj_view_files *to)
{
    size_t room = SOURCES_MOST;
    int err = DJ_OK;
    qsort(heats, to->count, sizeof *heats, hottest);
    for (size_t i = 0; !err && i < to->count; i++) {
        dj_view_file *f = &to->list[heats[i].file];
        f->reason = "no access is in this file";
        if (heats[i].accesses > 0)
            err = read_one(context, request, profile, f, &room, &to->arena);
    }
    return err;
}

int dj_view_files_read(dj_context *context, const dj_view_request *request, unsigned profile,
                       const dj_breakdown *lines, dj_view_files *out)
{
    const dj_attribution *a = dj_profile_attribution(request->profiles[profile]);
    *out = (dj_view_files){.count = a->file_count};
    out->list = dj_arena_alloc(&out->arena, a->file_count + 1, sizeof *out->list);
    heat *heats = calloc(a->file_count + 1, sizeof *heats);
    int err = out->list && heats ? DJ_OK : dj_fail_memory(context, "a page", 0);
    for (uint32_t i = 0; !err && i < a->file_count; i++) {
        out->list[i].path = a->files[i];
        heats[i].file = i;
    }
    for (size_t i = 0; !err && i < lines->count; i++)
        if (lines->entities[i].file < a->file_count)
            heats[lines->entities[i].file].accesses += lines->entities[i].exclusive.accesses;
    if (!err)
        err = read_all(context, request, profile, heats, out);
    free(heats);
    return !err && out->arena.failed ? dj_fail_memory(context, "a page", 0) : err;
}

void dj_view_files_free(dj_view_files *files)
{
    dj_arena_free(&files->arena);
    *files = (dj_view_files){.count = 0};
}

int dj_view_add_files(dj_view_sections *sections, const dj_view_files *files)
{
    return dj_view_add(sections, "files", DJ_VIEW_VERSION, 0, files_fields, files);
}
