// SPDX-License-Identifier: MIT
// Opens source files, but only those that a profile may name. Whoever wrote a profile or a recording chose
// the names in it, such as /etc/shadow; so they are followed only below folders that its reader chose.
#ifndef DEJA_CLI_SOURCE_FILE_H
#define DEJA_CLI_SOURCE_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

typedef struct dj_source_scope {
    // The reader named the file, or ran the program that names it, which could read the file itself.
    bool anywhere;
    const char *folder; // --source; NULL: none
} dj_source_scope;

enum { DJ_SOURCE_MOST = 1 << 25 }; // bytes of a source file

// Opens a regular file of at most DJ_SOURCE_MOST bytes that is, after all links, below scope->folder, the
// current folder (unless that is /, or the path continues with a hidden name) or the compiler's headers.
// Returns -1 and the reason in *fault otherwise; *error is errno, or 0 if it is not the system's reason.
int dj_source_file_open(const char *path, const dj_source_scope *scope, struct stat *about,
                        const char **fault, int *error);

#endif
