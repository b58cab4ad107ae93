// SPDX-License-Identifier: MIT
// Serves one page to the browsers of this machine: over HTTP, at an address that only its user knows.
#ifndef DEJA_CLI_SERVE_H
#define DEJA_CLI_SERVE_H

#include <deja/error.h>

enum { DJ_SERVE_URL = 64 }; // bytes

typedef struct dj_server dj_server;

// Listens on the loopback interface. The server refers to the page.
int dj_server_create(dj_context *context, const char *page, size_t bytes, dj_server **out);
void dj_server_destroy(dj_server *server); // NULL is allowed
// "http://127.0.0.1:PORT/TOKEN/"
const char *dj_server_url(const dj_server *server);
// Serves until the context is stopped. Nothing that a client does ends it.
int dj_server_run(dj_server *server, dj_context *context);

#endif
