// SPDX-License-Identifier: MIT
#include "engine/threads.h"

#include <deja/error.h>

int dj_threads_check(dj_context *context, uint64_t threads)
{
    if (threads > DJ_THREADS_MOST)
        return dj_fail(context, DJ_ERR_USAGE, "--threads %llu: at most %d", (unsigned long long)threads,
                       DJ_THREADS_MOST);
    return DJ_OK;
}
