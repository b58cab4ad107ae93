// SPDX-License-Identifier: MIT
#include "trace/head.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

// Bytes of the UTF-8 character that begins with `lead`; 0: none does.
static size_t character_bytes(uint8_t lead)
{
    if (lead < 0x80)
        return (lead >= 0x20 && lead != 0x7f) || (lead >= '\t' && lead <= '\r') ? 1 : 0;
    if (lead >= 0xc2 && lead < 0xe0)
        return 2;
    if (lead >= 0xe0 && lead < 0xf0)
        return 3;
    return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

bool dj_head_is_text(const dj_head *head)
{
    size_t at = 0;
    while (at < head->bytes) {
        size_t length = character_bytes(head->data[at]);
        if (length == 0)
            return false;
        for (size_t i = 1; i < length && at + i < head->bytes; i++)
            if ((head->data[at + i] & 0xc0) != 0x80)
                return false;
        if (at + length > head->bytes)
            return !head->whole;
        at += length;
    }
    return head->bytes > 0;
}

bool dj_head_has_extension(const dj_head *head, const char *extensions)
{
    size_t path = strlen(head->path);
    while (*extensions) {
        size_t length = strcspn(extensions, " ");
        if (length && length < path && strncasecmp(head->path + path - length, extensions, length) == 0)
            return true;
        extensions += length;
        extensions += strspn(extensions, " ");
    }
    return false;
}

static bool begins_with(const dj_head *head, const char *magic)
{
    return head->bytes >= strlen(magic) && memcmp(head->data, magic, strlen(magic)) == 0;
}

const char *dj_head_find_other(const dj_head *head)
{
    static const char json[] = "\"deja-profile\"";
    enum { JSON_WITHIN = 256 };
    const size_t bytes = head->bytes < JSON_WITHIN ? head->bytes : JSON_WITHIN;
    size_t first = 0;
    while (first < bytes && strchr(" \t\r\n", head->data[first]))
        first++;
    const bool in_json =
        first < bytes && head->data[first] == '{' && memmem(head->data, bytes, json, strlen(json));
    if (in_json || begins_with(head, "\x89"
                                     "DJP"))
        return "this is a saved profile, not a trace; 'deja report' prints it, 'deja mrc' and 'deja spatial' "
               "read "
               "it, and 'deja co-run' predicts from several, as plain files";
    if (begins_with(head, "\x89"
                          "DSUM"))
        return "this is the analysis of a part of a trace, not a trace; 'deja join' joins all parts";
    return NULL;
}

void dj_head_describe(const dj_head *head, char *out, size_t bytes)
{
    if (dj_head_is_text(head)) {
        const char *text = (const char *)head->data;
        const char *newline = memchr(text, '\n', head->bytes);
        size_t length = newline ? (size_t)(newline - text) : head->bytes;
        while (length && (text[length - 1] == '\r' || text[length - 1] == ' '))
            length--;
        snprintf(out, bytes, "it is text that begins '%.*s%s'", (int)(length > 60 ? 60 : length), text,
                 length > 60 ? "…" : "");
        return;
    }
    int used = snprintf(out, bytes, "it is binary data that begins");
    for (size_t i = 0; i < head->bytes && i < 16 && used > 0 && (size_t)used < bytes; i++)
        used += snprintf(out + used, bytes - (size_t)used, " %02x", head->data[i]);
}
