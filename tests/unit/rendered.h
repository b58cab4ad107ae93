// SPDX-License-Identifier: MIT
// Documents as text, for tests. Needs cmocka.
#ifndef DEJA_TESTS_RENDERED_H
#define DEJA_TESTS_RENDERED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <deja/render.h>

// Destroys the document; the text is freed.
static inline char *rendered(dj_context *context, dj_document *document, const char *renderer,
                             const dj_render_options *options)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    assert_int_equal(dj_render(context, dj_renderer_find(renderer), document, options, out), DJ_OK);
    fclose(out);
    dj_document_destroy(document);
    return text;
}

static inline void assert_has(const char *text, const char *part)
{
    if (strstr(text, part))
        return;
    fprintf(stderr, "%s\nis not in\n%s", part, text);
    fail();
}

#endif
