// SPDX-License-Identifier: MIT
#include "reorder/site_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

static bool is_fortran(const char *file)
{
    const char *dot = strrchr(file, '.');
    return dot && (dot[1] == 'f' || dot[1] == 'F');
}

static int look_up(dj_site_lines *lines, dj_context *context, const dj_site_id *id, dj_site_line *out)
{
    dj_code code, head;
    int err = dj_symbols_code(lines->symbols, context, id->module, id->offset, &code);
    if (err)
        return err;
    dj_statement_info statement;
    const bool found = dj_symbols_statement(lines->symbols, id->module, id->offset, &statement);
    out->is_void = found && statement.returns_nothing;
    out->stores = found && statement.stores;
    out->line = code.frames[0].line;
    out->is_whole = is_fortran(code.frames[0].file);
    out->loop = code.loop;
    if (!code.loop)
        return DJ_OK;
    const uint64_t header = dj_symbols_loop_info(lines->symbols, code.loop)->header;
    err = dj_symbols_code(lines->symbols, context, id->module, header, &head);
    out->is_head = !err && head.frames[0].line == out->line;
    return err;
}

int dj_site_lines_get(dj_site_lines *lines, dj_context *context, uint32_t site, dj_site_line *out)
{
    *out = (dj_site_line){.known = true};
    if (!lines->symbols || site >= lines->located->site_count ||
        lines->located->sites[site].module == DJ_NOWHERE)
        return DJ_OK;
    int err = dj_grow(context, "the lines of instructions", &lines->list, &lines->capacity, (size_t)site + 1,
                      sizeof *lines->list);
    if (!err && !lines->list[site].known) {
        err = look_up(lines, context, &lines->located->sites[site], out);
        lines->list[site] = *out;
    }
    *out = err ? *out : lines->list[site];
    return err;
}

void dj_site_lines_free(dj_site_lines *lines)
{
    free(lines->list);
}
