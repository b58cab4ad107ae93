// SPDX-License-Identifier: MIT
#include "base/json/reader.h"

#include <stdlib.h>
#include <string.h>

int dj_json_read_list(dj_json_reader *reader, int (*item)(dj_json_reader *reader, void *target), void *target)
{
    int err = dj_json_enter(reader, '[');
    for (bool first = true, more; err == DJ_OK; first = false) {
        err = dj_json_step(reader, ']', first, &more);
        if (err != DJ_OK || !more)
            break;
        err = item(reader, target);
    }
    return err;
}

static int read_field(dj_json_reader *reader, const dj_json_field *field, void *target)
{
    void *value = (char *)target + field->offset;
    switch (field->type) {
    case DJ_JSON_UINT:
        return dj_json_read_uint(reader, value);
    case DJ_JSON_REAL:
        return dj_json_read_real(reader, value);
    case DJ_JSON_BOOL:
        return dj_json_read_bool(reader, value);
    case DJ_JSON_TEXT:
        return dj_json_read_text(reader, value);
    case DJ_JSON_HEX:
        return dj_json_read_hex(reader, value);
    default:
        return field->call(reader, value);
    }
}

static int read_member(dj_json_reader *reader, const dj_json_field *fields, void *target, uint64_t *seen)
{
    const char *key;
    int err = dj_json_read_key(reader, &key);
    if (err != DJ_OK)
        return err;
    for (unsigned i = 0; fields[i].name; i++) {
        if (strcmp(fields[i].name, key) != 0)
            continue;
        if (*seen >> i & 1)
            return dj_json_fail(reader, "\"%s\" appears twice", key);
        *seen |= UINT64_C(1) << i;
        return read_field(reader, &fields[i], target);
    }
    return dj_json_skip(reader);
}

int dj_json_read_object(dj_json_reader *reader, const dj_json_field *fields, void *target, uint64_t *seen)
{
    uint64_t found = 0;
    int err = dj_json_enter(reader, '{');
    for (bool first = true, more; err == DJ_OK; first = false) {
        err = dj_json_step(reader, '}', first, &more);
        if (err != DJ_OK || !more)
            break;
        err = read_member(reader, fields, target, &found);
    }
    for (unsigned i = 0; err == DJ_OK && fields[i].name; i++)
        if (fields[i].required && !(found >> i & 1))
            err = dj_json_fail(reader, "\"%s\" is missing", fields[i].name);
    if (seen)
        *seen = found;
    return err;
}

static int skip_item(dj_json_reader *reader, void *target)
{
    (void)target;
    return dj_json_skip(reader);
}

static int skip_text(dj_json_reader *reader)
{
    char *text = NULL;
    int err = dj_json_read_text(reader, &text);
    free(text);
    return err;
}

// Recursion is bounded by the depth that dj_json_enter allows.
int dj_json_skip(dj_json_reader *reader)
{
    static const dj_json_field none[] = {{.name = NULL}};
    bool flag;
    double number;
    switch (dj_json_peek(reader)) {
    case '{':
        return dj_json_read_object(reader, none, NULL, NULL);
    case '[':
        return dj_json_read_list(reader, skip_item, NULL);
    case '"':
        return skip_text(reader);
    case 't':
    case 'f':
        return dj_json_read_bool(reader, &flag);
    case 'n':
        return dj_json_read_null(reader, &flag);
    default:
        return dj_json_read_real(reader, &number);
    }
}
