// SPDX-License-Identifier: MIT
// The calling-context tree as a table, without what hardly matters and without
// the frames that start every program.
#ifndef DEJA_REPORT_TREE_H
#define DEJA_REPORT_TREE_H

#include <deja/report.h>

#include "report/sheet.h"

typedef struct dj_tree {
    const dj_attribution *a;
    const dj_breakdown *b; // by context
    // Whether an entity, with all that it calls or alone, has that much of the whole.
    bool (*matters)(const void *user, const dj_entity *entity, bool inclusive, double percent);
    void (*fill)(const void *user, const dj_entity *entity, char (*cells)[DJ_CELL]);
    const void *user;
} dj_tree;

// Columns have been added to the sheet. About three times `top` rows at most.
int dj_tree_print(dj_context *context, const dj_tree *tree, dj_sheet *sheet, size_t top);

#endif
