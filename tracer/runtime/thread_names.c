// SPDX-License-Identifier: MIT
// Threads that name themselves. (A thread named by another one keeps its number.)
#include <pthread.h>
#include <stdarg.h>
#include <sys/prctl.h>

#include "core.h"
#include "wrap.h"

enum { NAME_BYTES = 16 };

static void record_name(const char *name)
{
    char text[NAME_BYTES];
    unsigned length = 0;
    if (!dj_rt_is_traced())
        return;
    for (; length < sizeof text - 1 && name[length]; length++)
        text[length] = name[length];
    text[length] = '\0';
    dj_rt_put_thread_name(text);
}

DJ_RT_WRAP(pthread_setname_np);
DJ_RT_EXPORT int DJ_RT_NAME(pthread_setname_np)(pthread_t thread, const char *name)
{
    int status = DJ_RT_REAL(pthread_setname_np)(thread, name);
    if (status == 0 && pthread_equal(thread, pthread_self()))
        record_name(name);
    return status;
}

// All its arguments are words, whichever the option.
DJ_RT_WRAP(prctl);
DJ_RT_EXPORT int DJ_RT_NAME(prctl)(int option, ...)
{
    va_list arguments;
    va_start(arguments, option);
    unsigned long a = va_arg(arguments, unsigned long), b = va_arg(arguments, unsigned long),
                  c = va_arg(arguments, unsigned long), d = va_arg(arguments, unsigned long);
    va_end(arguments);
    int status = DJ_RT_REAL(prctl)(option, a, b, c, d);
    if (status == 0 && option == PR_SET_NAME)
        record_name((const char *)a);
    return status;
}
