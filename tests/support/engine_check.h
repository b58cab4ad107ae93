// SPDX-License-Identifier: MIT
// An engine must answer like an oracle, or the test fails and shows where. Include after cmocka.
#ifndef DEJA_TESTS_ENGINE_CHECK_H
#define DEJA_TESTS_ENGINE_CHECK_H

#include "support/context.h"
#include "support/engine_compare.h"

static void compare(const char *oracle, const dj_engine_ops *engine, const stream *s, uint32_t use)
{
    difference d = compare_engines(dj_engine_find(oracle), engine, context, s, use);
    if (d.what)
        difference_print(&d, engine, s, use);
    assert_null(d.what);
}

#endif
