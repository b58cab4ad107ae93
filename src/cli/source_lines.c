// SPDX-License-Identifier: MIT
#include "cli/source_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/options/output.h"

typedef struct dj_source_entry {
    char *name; // as in the profile
    dj_annotated_text text;
} entry;

// NULL after an error, which stays in `lines`.
static const entry *find(dj_source_lines *lines, const char *file)
{
    for (size_t i = 0; i < lines->count; i++)
        if (strcmp(lines->files[i].name, file) == 0)
            return &lines->files[i];
    entry *larger = reallocarray(lines->files, lines->count + 1, sizeof *larger);
    if (!larger) {
        lines->err = dj_fail_memory(lines->context, "a source file", 0);
        return NULL;
    }
    lines->files = larger;
    entry *fresh = &larger[lines->count];
    int err = dj_copy_text(lines->context, file, &fresh->name);
    if (err) {
        lines->err = err;
        return NULL;
    }
    err = dj_source_text_read(lines->context, file, NULL, &lines->scope, lines->created, &fresh->text);
    if (err) {
        lines->err = err;
        free(fresh->name);
        return NULL;
    }
    lines->count++;
    return fresh;
}

const char *dj_source_lines_get(void *lines, const char *file, uint32_t line)
{
    const entry *found = find(lines, file);
    if (!found || found->text.newer || line == 0 || line > found->text.line_count)
        return NULL;
    return found->text.lines[line - 1];
}

void dj_source_lines_note(const dj_source_lines *lines)
{
    const entry *first = NULL;
    size_t more = 0;
    for (size_t i = 0; i < lines->count; i++) {
        const entry *file = &lines->files[i];
        if (!file->text.outside)
            continue;
        more += first != NULL;
        first = first ? first : file;
    }
    if (!first)
        return;
    char text[256], others[64] = "";
    if (more > 0)
        snprintf(others, sizeof others, " and %zu more file%s", more, more == 1 ? "" : "s");
    snprintf(text, sizeof text, "%s: lines are not shown: %s; name folders of sources with --source", others,
             first->text.fault);
    dj_output_message_about("note: ", first->text.path, text);
}

void dj_source_lines_close(dj_source_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        free(lines->files[i].name);
        dj_source_text_free(&lines->files[i].text);
    }
    free(lines->files);
    lines->files = NULL;
    lines->count = 0;
}
