// SPDX-License-Identifier: MIT
// Answers of symbols.h from a helper process. Every answer is kept. Functions, loops and variables have the
// same numbers here as there: each answer comes with the rows that were added for it. When the helper has
// ended, everything else is unknown.
#ifndef DEJA_SYMBOLS_HELPER_CLIENT_H
#define DEJA_SYMBOLS_HELPER_CLIENT_H

#include "symbols/symbols.h"

typedef struct dj_client dj_client;
typedef struct dj_remote_module dj_remote_module;

// `path` is that of the helper's executable, which starts with the first module.
int dj_client_create(dj_context *context, dj_symbols *symbols, const char *path, dj_client **out);
void dj_client_destroy(dj_client *client); // NULL is allowed
void dj_client_start(dj_client *client);
// Why the helper has ended; NULL: it has not.
const char *dj_client_fault(const dj_client *client);
// Whether memory for an answer ran out in this process.
bool dj_client_failed(const dj_client *client);

void dj_remote_module_destroy(dj_remote_module *module); // NULL is allowed

// As in symbols.h.
dj_module_info dj_client_module(dj_client *client, uint32_t id);
uint32_t dj_client_function(dj_client *client, uint32_t id, uint64_t offset);
size_t dj_client_find_function(dj_client *client, uint32_t id, const char *name, uint32_t *out, size_t most);
void dj_client_codes(dj_client *client, const dj_code_query *queries, size_t count, dj_code *out);
bool dj_client_statement(dj_client *client, uint32_t id, uint64_t offset, dj_statement_info *out);
uint32_t dj_client_latch(dj_client *client, uint32_t id, uint64_t offset, uint64_t *block);
const uint64_t *dj_client_flow(dj_client *client, uint32_t id, uint64_t offset, size_t *count);
bool dj_client_global(dj_client *client, uint32_t id, uint64_t offset, dj_extent *out);
bool dj_client_local(dj_client *client, uint32_t function, uint64_t pc, int64_t cfa_offset, dj_extent *out);
void dj_client_elements(dj_client *client, const dj_element_query *queries, size_t count,
                        char (*text)[DJ_ELEMENT_CAPACITY]);
// The variable; *returned as dj_symbols_pointer_returned.
uint32_t dj_client_pointer(dj_client *client, uint32_t id, uint64_t offset, bool *returned);

#endif
