// SPDX-License-Identifier: MIT
// Costs by source line.
#ifndef DEJA_MODEL_ANNOTATED_H
#define DEJA_MODEL_ANNOTATED_H

#include <deja/breakdown.h>

// Costs of the code of a line, or of a function that was inlined there.
typedef struct dj_annotated_row {
    uint32_t file, line;
    uint32_t inlined; // the function; DJ_NOWHERE: the line's own code
    dj_tally tally;
    uint64_t heat; // misses at the cut of the listing, or accesses
} dj_annotated_row;

// The rows of a file: for each line its own code first, then inlined functions.
typedef struct dj_annotated_file {
    uint32_t file;
    const dj_annotated_row *rows;
    size_t row_count;
    uint64_t heat; // of its own code
} dj_annotated_file;

typedef struct dj_annotated {
    const dj_attribution *attribution;
    size_t cut; // the cut that heat is measured by; cut_count: by accesses
    uint64_t heat;
    dj_annotated_file *files; // hottest first
    size_t file_count;
    dj_annotated_row *rows;
    size_t row_count;
} dj_annotated;

int dj_annotated_create(dj_context *context, const dj_attribution *attribution, dj_annotated **out);
void dj_annotated_destroy(dj_annotated *listing); // NULL is allowed

// A line with this share of the total heat is hot.
#define DJ_ANNOTATED_HOT 0.01
bool dj_annotated_is_hot(const dj_annotated *listing, uint64_t heat);

// The text of a source file, without the ends of lines.
typedef struct dj_annotated_text {
    const char *path;  // where it was looked for
    const char *fault; // why it could not be read; NULL: it was read
    bool outside;      // not read, since it is in no folder that may be read
    bool unfit;        // not read, wherever it is: not a regular file, or too large
    bool newer;        // newer than the profile
    char **lines;
    size_t line_count;
} dj_annotated_text;

#endif
