// SPDX-License-Identifier: MIT
#include "base/ending.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

const char *dj_describe_signal(int wait_status, char *text)
{
    const int number = WTERMSIG(wait_status);
    snprintf(text, DJ_END_BYTES, "ended by signal %d (%s)", number, strsignal(number));
    return text;
}
