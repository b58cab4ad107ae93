// SPDX-License-Identifier: MIT
// The template of pages, as it was built from viewer/ (cmake/viewer.cmake).
#include <stddef.h>

#include "view/view.h"

#ifdef DEJA_VIEW_TEMPLATE
__asm__(".pushsection .rodata\n"
        "deja_view_template:\n"
        ".incbin \"" DEJA_VIEW_TEMPLATE "\"\n"
        "deja_view_template_end:\n"
        ".byte 0\n"
        ".popsection\n");
extern const char deja_view_template[], deja_view_template_end[];

const char *dj_view_template(size_t *bytes)
{
    *bytes = (size_t)(deja_view_template_end - deja_view_template);
    return *bytes > 0 ? deja_view_template : NULL;
}
#else
const char *dj_view_template(size_t *bytes)
{
    *bytes = 0;
    return NULL;
}
#endif
