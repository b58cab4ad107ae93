// SPDX-License-Identifier: MIT
// Statement mode: one access for each distinct element (address and size) and
// statement instance, at the place of the first one; read and written, it is of
// kind modify. A source around one that has events, before the locator.
//
// Where instances begin is told by events of the stream (annotations), or by
// line tables: at an access of another line than the one before in the same
// call, or of the same line when the program has jumped back. What a function
// does is its own; after its return the instance of the caller goes on.
#ifndef DEJA_LOCATE_STATEMENTS_H
#define DEJA_LOCATE_STATEMENTS_H

#include "locate/locate.h"

typedef struct dj_statements_options {
    // For line tables, which count until the first event of a statement. All
    // zero: annotations alone.
    dj_lookup lookup;
    // Also puts an event before the first access of an instance, and where one goes on.
    bool mark;
} dj_statements_options;

// Accesses that went through, by how their instances are known, enum dj_statement_source,
// and what became of them.
typedef struct dj_statements_tally {
    uint64_t accesses[DJ_STATEMENT_SOURCES];
    uint64_t instances;
    uint64_t merged; // accesses that were left out
    uint64_t late;   // elements that turned out to be both read and written after their access was handed on
} dj_statements_tally;

typedef struct dj_statements dj_statements;

int dj_statements_create(dj_context *context, const dj_statements_options *options, dj_statements **out);
void dj_statements_destroy(dj_statements *statements);
// Must outlive the source; `inner` is closed after it.
int dj_statements_source(dj_context *context, dj_statements *statements, dj_source *inner, dj_source **out);

dj_statements_tally dj_statements_count(const dj_statements *statements);
// How the instances of a site's accesses were told apart, unless by annotations.
enum dj_statement_source dj_statements_source_of(const dj_statements *statements, uint32_t site);
// For the provenance: how instances were told apart, those of `accesses` by
// source or, with NULL, of all that went through. DJ_ERR_UNSUPPORTED when nothing told.
int dj_statements_describe(const dj_statements *statements, dj_context *context, const uint64_t *accesses,
                           char *text, size_t room);

#endif
