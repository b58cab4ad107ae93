// SPDX-License-Identifier: MIT
// What the arguments of a compiler ask for, as far as it matters here.
#ifndef DEJA_BUILD_FACTS_H
#define DEJA_BUILD_FACTS_H

#include <deja/error.h>

typedef struct dj_compiler_arguments {
    bool links;            // a program or shared library comes out
    bool is_static;        // without a dynamic linker
    const char *narrow;    // the option that asks for code that is not for 64 bits; NULL: none
    const char *sanitizer; // one that cannot be in a program with ours; NULL: none
} dj_compiler_arguments;

// `args` are without @FILE. The texts in the result are constant.
dj_compiler_arguments dj_compiler_arguments_scan(const char *const *args, size_t count);

#endif
