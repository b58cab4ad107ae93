// SPDX-License-Identifier: MIT
#include "view/sections.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "profile/columns_file.h"
#include "view/base64.h"

int dj_view_begin(dj_view_sections *s, dj_context *context, FILE *out)
{
    *s = (dj_view_sections){.context = context, .out = out};
    if (!dj_text_stream_open(&s->index))
        return dj_fail_memory(context, "a page", 0);
    s->json = (dj_json_writer){.out = s->index.file};
    dj_json_begin_object(&s->json, NULL);
    dj_json_uint(&s->json, "format", DJ_VIEW_FORMAT);
    dj_json_begin_list(&s->json, "sections");
    return DJ_OK;
}

// A layout that an earlier section has is the number of that section.
static void add_layout(dj_view_sections *s, const dj_field *fields)
{
    for (unsigned i = 0; i < s->count; i++)
        if (s->layouts[i] == fields) {
            dj_json_uint(&s->json, "layout", i);
            return;
        }
    dj_view_layout(&s->json, "layout", fields);
}

static int add_to_index(dj_view_sections *s, const dj_columns_section *section, const dj_field *fields)
{
    dj_json_writer *json = &s->json;
    int err = dj_grow(s->context, "a page", &s->layouts, &s->capacity, s->count + 1, sizeof *s->layouts);
    if (err)
        return err;
    s->layouts[s->count] = fields;
    dj_json_begin_row(json, NULL);
    dj_json_uint(json, "id", s->count);
    dj_json_text(json, "name", section->name);
    dj_json_uint(json, "profile", section->profile);
    dj_json_uint(json, "lane", section->lane);
    dj_json_uint(json, "version", section->version);
    add_layout(s, fields);
    dj_json_end_object(json);
    return DJ_OK;
}

int dj_view_add(dj_view_sections *s, const char *name, unsigned version, unsigned lane,
                const dj_field *fields, const void *value)
{
    const dj_columns_section section = {
        .name = name, .version = version, .profile = s->profile, .lane = lane, .coding = DJ_PACK_DEFLATE};
    dj_text_stream memory;
    size_t bytes = 0;
    if (!dj_text_stream_open(&memory))
        return dj_fail_memory(s->context, "a page", 0);
    int err = dj_columns_write_section(s->context, &section, fields, value, memory.file);
    char *packed = dj_text_stream_close(&memory, &bytes);
    if (!packed && !err)
        err = dj_fail_memory(s->context, "a page", 0);
    if (!err)
        err = add_to_index(s, &section, fields);
    if (!err) {
        fprintf(s->out, "<script type=\"application/octet-stream\" id=\"deja-%u\">", s->count++);
        dj_base64_write(s->out, packed, bytes);
        fputs("</script>\n", s->out);
    }
    free(packed);
    return err;
}

// Without the spaces between values. Nothing in a script may look like its end.
static void write_index(FILE *out, const char *text)
{
    bool inside = false; // of a text
    fputs("<script type=\"application/json\" id=\"deja-index\">", out);
    for (const char *before = ""; *text; before = text++) {
        if (*text == '"' && *before != '\\')
            inside = !inside;
        if (*text == '<')
            fputs("\\u003c", out);
        else if (inside || !strchr(" \n", *text))
            fputc(*text, out);
    }
    fputs("</script>\n", out);
}

int dj_view_end(dj_view_sections *s, int err)
{
    if (!err) {
        dj_json_end_list(&s->json);
        dj_json_end_object(&s->json);
    }
    char *index = dj_text_stream_close(&s->index, NULL);
    if (!index && !err)
        err = dj_fail_memory(s->context, "a page", 0);
    if (!err)
        write_index(s->out, index);
    free(index);
    free(s->layouts);
    return err;
}
