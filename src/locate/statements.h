// SPDX-License-Identifier: MIT
// Statement mode: one access for each distinct element (address and size) and statement instance, at the
// position of the first one; if the element is read and written, its kind is modify. A source around one
// with events, before the locator.
//
// Instances begin at events of the stream (annotations) or, by line tables, at an access of another line
// than the one before in the same call, or of the same line after a jump backwards. A function has its own
// instances; after its return the instance of the caller continues.
#ifndef DEJA_LOCATE_STATEMENTS_H
#define DEJA_LOCATE_STATEMENTS_H

#include "locate/locate.h"

typedef struct dj_statements_options {
    // For line tables, which are used until the first statement event. Zeroed: annotations only.
    dj_lookup lookup;
    // Also inserts an event before the first access of an instance, and where one continues.
    bool mark;
} dj_statements_options;

// Accesses by how their instances are known, enum dj_statement_source, and what happened to them.
typedef struct dj_statements_tally {
    uint64_t accesses[DJ_STATEMENT_SOURCES];
    uint64_t instances;
    uint64_t merged; // accesses that were merged into others
    uint64_t late;   // elements found to be both read and written after their access was passed on
} dj_statements_tally;

typedef struct dj_statements dj_statements;

int dj_statements_create(dj_context *context, const dj_statements_options *options, dj_statements **out);
void dj_statements_destroy(dj_statements *statements);
// Must outlive the source; `inner` is closed after it.
int dj_statements_source(dj_context *context, dj_statements *statements, dj_source *inner, dj_source **out);

dj_statements_tally dj_statements_count(const dj_statements *statements);
// How the instances of a site's accesses were distinguished, if not by annotations.
enum dj_statement_source dj_statements_source_of(const dj_statements *statements, uint32_t site);
// For the provenance: how instances were distinguished, those of `accesses` by source or, if NULL, of all
// accesses. DJ_ERR_UNSUPPORTED if nothing distinguishes them.
int dj_statements_describe(const dj_statements *statements, dj_context *context, const uint64_t *accesses,
                           char *text, size_t capacity);

#endif
