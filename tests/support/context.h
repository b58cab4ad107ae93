// SPDX-License-Identifier: MIT
// The context of a test program, created before its tests and destroyed after them.
#ifndef DEJA_TESTS_CONTEXT_H
#define DEJA_TESTS_CONTEXT_H

#include <deja/error.h>

static dj_context *context;

static int make_context(void **state)
{
    (void)state;
    return dj_context_create(&context);
}

static int drop_context(void **state)
{
    (void)state;
    dj_context_destroy(context);
    return 0;
}

#endif
