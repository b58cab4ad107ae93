// SPDX-License-Identifier: MIT
// The command line of a compiler that instruments what it compiles and links
// the run-time library to what it links. gcc reads how from a specs file of
// ours, since only its driver knows for sure what it will compile and link.
#ifndef DEJA_BUILD_COMPILE_H
#define DEJA_BUILD_COMPILE_H

#include "build/words.h"

#define DJ_BUILD_LIBRARY "libdeja-rt.so" // by this the folder is known
enum dj_compiler { DJ_COMPILER_GCC, DJ_COMPILER_CLANG };

// By the words that call it (`ccache clang-14`) and the file that the last of them leads to.
enum dj_compiler dj_compiler_guess(const dj_words *compiler, const char *path);

// The plugin in `folder` that is for this gcc, to be freed; NULL: there is none.
// The file that a gcc lies in tells its version, as in x86_64-linux-gnu-gcc-12.
int dj_compiler_find_plugin(dj_context *context, const char *folder, const char *path, char **plugin);

typedef struct dj_compile {
    const dj_words *compiler;
    enum dj_compiler kind;
    const char *folder; // with the library, the note and the specs file
    const char *plugin; // of gcc; NULL: none
    bool loops;         // records of basic blocks too
    bool as_written;    // without optimizations that move or merge accesses
    const char *const *args;
    size_t count;
} dj_compile;

// Adds the whole command line to `out`. *uninstrumented is an option because of
// which the compiler is called as it is; NULL otherwise.
int dj_compile_make(dj_context *context, const dj_compile *compile, dj_words *out,
                    const char **uninstrumented);

#endif
