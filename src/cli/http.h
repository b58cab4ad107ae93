// SPDX-License-Identifier: MIT
// HTTP requests for a single page. Clients are untrusted: any page in a browser of this machine, and any
// program, can send something.
#ifndef DEJA_CLI_HTTP_H
#define DEJA_CLI_HTTP_H

#include <stdbool.h>
#include <stddef.h>

typedef struct dj_http_rules {
    const char *path; // of the page
    unsigned port;    // in the field Host, which must name this machine
} dj_http_rules;

// Where the head of a request ends, after its empty line; 0: not yet.
size_t dj_http_end(const char *text, size_t bytes);
// The status of the response to the head of a request: 200 for the page. *head: without the page itself.
int dj_http_judge(const dj_http_rules *rules, const char *text, size_t bytes, bool *head);
// "Not Found"
const char *dj_http_reason(int status);

#endif
