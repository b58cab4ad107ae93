// SPDX-License-Identifier: MIT
// Serves one page to the browsers of this machine: over HTTP, at an address that only its user knows.
#ifndef DEJA_CLI_SERVE_H
#define DEJA_CLI_SERVE_H

#include <deja/error.h>

enum { DJ_SERVE_URL = 64 }; // bytes

typedef struct dj_page_server dj_page_server;

// Listens on the loopback interface. The server refers to the page.
int dj_page_server_create(dj_context *context, const char *page, size_t bytes, dj_page_server **out);
void dj_page_server_destroy(dj_page_server *server); // NULL is allowed
// "http://127.0.0.1:PORT/TOKEN/"
const char *dj_page_server_url(const dj_page_server *server);
// Serves until the context is stopped. Nothing that a client does ends it.
int dj_page_server_run(dj_page_server *server, dj_context *context);

#endif
