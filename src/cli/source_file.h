// SPDX-License-Identifier: MIT
// Opens source files, but only those that a profile may name. Whoever wrote a profile or a recording chose
// the names in it, such as /etc/shadow; so they are followed only below folders that its reader chose.
#ifndef DEJA_CLI_SOURCE_FILE_H
#define DEJA_CLI_SOURCE_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

typedef struct dj_source_scope {
    // The reader named the file, or ran the program that names it, which could read the file itself.
    bool anywhere;
    const char *folders; // --source: separated by colons; NULL: none
} dj_source_scope;

#define DJ_SOURCE_HELP                                                                                       \
    "also read sources below these folders, separated by colons, and search them for those that have moved " \
    "since they were compiled"

enum { DJ_SOURCE_MOST = 1 << 25 }; // bytes of a source file

typedef struct dj_source_file {
    int fd; // -1: it was not opened
    struct stat about;
    const char *fault; // why not; NULL: it was opened
    int error;         // errno, or 0 if that is not the reason
    bool outside;      // the reason is the scope
    bool unfit;        // the reason is the file's type or size
} dj_source_file;

// Opens a regular file of at most DJ_SOURCE_MOST bytes that is, after all links, below one of scope->folders,
// the current folder (unless that is /, or the path continues with a hidden name) or the compiler's headers.
dj_source_file dj_source_file_open(const char *path, const dj_source_scope *scope);

// Copies the first of the folders, which are separated by colons, and returns the rest; NULL: there is none.
// A name that is too long is left out.
const char *dj_source_folder_next(const char *folders, char folder[PATH_MAX]);

#endif
