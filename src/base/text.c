// SPDX-License-Identifier: MIT
#include "base/text.h"

#include <string.h>

int dj_copy_text(dj_context *context, const char *text, char **out)
{
    *out = strdup(text);
    return *out ? DJ_OK : dj_fail_memory(context, "a name", strlen(text) + 1);
}
