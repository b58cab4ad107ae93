// SPDX-License-Identifier: MIT
#include "cli/http.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

// A part of the request.
typedef struct span {
    const char *at;
    size_t bytes;
} span;

static bool is(span s, const char *text)
{
    return s.bytes == strlen(text) && memcmp(s.at, text, s.bytes) == 0;
}

// In a time that does not depend on how much is right.
static bool is_secret(span s, const char *text)
{
    unsigned char different = 0;
    if (s.bytes != strlen(text))
        return false;
    for (size_t i = 0; i < s.bytes; i++)
        different |= (unsigned char)(s.at[i] ^ text[i]);
    return different == 0;
}

// Removes the part up to `end` from the beginning of *rest; false: there is none.
static bool take(span *rest, char end, span *out)
{
    const char *found = memchr(rest->at, end, rest->bytes);
    if (!found)
        return false;
    *out = (span){rest->at, (size_t)(found - rest->at)};
    rest->bytes -= out->bytes + 1;
    rest->at = found + 1;
    return true;
}

static bool take_line(span *rest, span *out)
{
    if (!take(rest, '\n', out) || out->bytes == 0 || out->at[out->bytes - 1] != '\r')
        return false;
    out->bytes--;
    return true;
}

static span trim(span s)
{
    while (s.bytes > 0 && (*s.at == ' ' || *s.at == '\t')) {
        s.at++;
        s.bytes--;
    }
    while (s.bytes > 0 && (s.at[s.bytes - 1] == ' ' || s.at[s.bytes - 1] == '\t'))
        s.bytes--;
    return s;
}

// A name that another site has pointed to this machine is refused, so that site cannot read the page.
static bool is_here(span host, unsigned port)
{
    char names[2][40];
    snprintf(names[0], sizeof names[0], "127.0.0.1:%u", port);
    snprintf(names[1], sizeof names[1], "localhost:%u", port);
    return is(host, names[0]) || is(host, names[1]);
}

// 0: the fields are good.
static int judge_fields(span rest, unsigned port)
{
    unsigned hosts = 0;
    bool here = false;
    span line, name;
    while (take_line(&rest, &line) && line.bytes > 0) {
        if (!take(&line, ':', &name) || name.bytes == 0 || memchr(name.at, ' ', name.bytes))
            return 400;
        if (name.bytes == 4 && strncasecmp(name.at, "Host", 4) == 0) {
            hosts++;
            here = is_here(trim(line), port);
        }
    }
    return hosts != 1 ? 400 : here ? 0 : 421;
}

size_t dj_http_end(const char *text, size_t bytes)
{
    const char *found = memmem(text, bytes, "\r\n\r\n", 4);
    return found ? (size_t)(found - text) + 4 : 0;
}

int dj_http_judge(const dj_http_rules *rules, const char *text, size_t bytes, bool *head)
{
    span rest = {text, bytes}, line, method, path;
    *head = false;
    if (memchr(text, '\0', bytes) || !take_line(&rest, &line) || !take(&line, ' ', &method) ||
        !take(&line, ' ', &path) || line.bytes != 8 || strncmp(line.at, "HTTP/1.", 7) != 0 ||
        (line.at[7] != '0' && line.at[7] != '1'))
        return 400;
    *head = is(method, "HEAD");
    const int fields = judge_fields(rest, rules->port);
    if (fields)
        return fields;
    if (!is_secret(path, rules->path))
        return 404;
    return *head || is(method, "GET") ? 200 : 405;
}

const char *dj_http_reason(int status)
{
    switch (status) {
    case 200:
        return "OK";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 408:
        return "Request Timeout";
    case 421:
        return "Misdirected Request";
    case 431:
        return "Request Header Fields Too Large";
    default:
        return "Bad Request";
    }
}
