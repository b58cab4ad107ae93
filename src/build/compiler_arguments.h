// SPDX-License-Identifier: MIT
// What the arguments of a compiler request, as far as instrumentation depends on it.
#ifndef DEJA_BUILD_COMPILER_ARGUMENTS_H
#define DEJA_BUILD_COMPILER_ARGUMENTS_H

#include <deja/error.h>

typedef struct dj_compiler_arguments {
    bool links;            // produces a program or shared library
    bool is_static;        // statically linked
    const char *narrow;    // the option that selects code other than 64-bit; NULL: none
    const char *sanitizer; // a sanitizer that conflicts with Deja's library; NULL: none
} dj_compiler_arguments;

// `args` must not contain @FILE. The strings in the result are constants.
dj_compiler_arguments dj_compiler_arguments_scan(const char *const *args, size_t count);

#endif
