// SPDX-License-Identifier: MIT
#include "base/file.h"

#include <errno.h>
#include <string.h>

int dj_fail_open(dj_context *context, const char *path, int error)
{
    bool named_wrongly = error == ENOENT || error == ENOTDIR || error == EISDIR || error == EACCES ||
                         error == ELOOP || error == ENAMETOOLONG;
    return dj_fail(context, named_wrongly ? DJ_ERR_INPUT : DJ_ERR_IO, "%s: cannot open: %s", path,
                   strerror(error));
}

const char *dj_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}
