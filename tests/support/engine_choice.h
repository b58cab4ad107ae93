// SPDX-License-Identifier: MIT
// Which of the registered engines a test uses: those that need no device or, if tests/gpu compiles it
// again with TEST_ENGINE, only that one.
#ifndef DEJA_TESTS_ENGINE_CHOICE_H
#define DEJA_TESTS_ENGINE_CHOICE_H

#include <deja/engine.h>
#include <stdbool.h>
#include <string.h>

#include "support/sanitized.h"

// Tests with random streams use one in this many of them, or streams shortened by this factor.
#ifndef TEST_SHARE
#define TEST_SHARE SANITIZED_SHARE
#endif

static inline bool engine_is_chosen(const dj_engine_ops *engine)
{
#ifdef TEST_ENGINE
    return strcmp(engine->name, TEST_ENGINE) == 0;
#else
    return !engine->find_device;
#endif
}

// Whether their device exists; otherwise the test is skipped.
static inline bool engines_are_here(void)
{
    dj_context *aside = NULL;
    bool are_here = dj_context_create(&aside) == DJ_OK;
    for (size_t i = 0; are_here && i < dj_engine_count(); i++) {
        const dj_engine_ops *engine = dj_engine_get(i);
        if (engine_is_chosen(engine) && engine->find_device)
            are_here = engine->find_device(aside) == DJ_OK;
    }
    dj_context_destroy(aside);
    return are_here;
}

#endif
