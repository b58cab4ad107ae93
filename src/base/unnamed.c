// SPDX-License-Identifier: MIT
#include "base/unnamed.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>

int dj_unnamed_file(void)
{
    const char *folders[] = {getenv("TMPDIR"), "/tmp", "."};
    int fd = -1;
    for (size_t i = 0; fd < 0 && i < sizeof folders / sizeof *folders; i++)
        if (folders[i] && *folders[i])
            fd = open(folders[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    return fd;
}
