// SPDX-License-Identifier: MIT
// Builds the command line of a compiler, so that it instruments what it compiles and
// links the run-time library. gcc gets a specs file, since only its driver knows for
// certain what it will compile and link.
#ifndef DEJA_BUILD_COMPILE_H
#define DEJA_BUILD_COMPILE_H

#include "build/words.h"

#define DJ_BUILD_LIBRARY "libdeja-rt.so" // identifies the folder
enum dj_compiler { DJ_COMPILER_GCC, DJ_COMPILER_CLANG };

// Judges by the words of the command (`ccache clang-14`), and by the file that its last word resolves to.
enum dj_compiler dj_compiler_guess(const dj_words *compiler, const char *path);

// Finds the plugin in `folder` for this gcc. *plugin is freed by the caller; NULL: none. The
// version is part of the name of gcc's executable, as in x86_64-linux-gnu-gcc-12.
int dj_compiler_find_plugin(dj_context *context, const char *folder, const char *path, char **plugin);

typedef struct dj_compile {
    const dj_words *compiler;
    enum dj_compiler kind;
    const char *folder; // contains the library, the note and the specs file
    const char *plugin; // for gcc; NULL: none
    bool loops;         // also record basic blocks
    bool as_written;    // disable optimizations that move or merge accesses
    const char *const *args;
    size_t count;
} dj_compile;

// Adds the complete command line to `out`. If an option rules out instrumentation, the
// command line is unchanged and *uninstrumented is that option; otherwise it is NULL.
int dj_compile_make(dj_context *context, const dj_compile *compile, dj_words *out,
                    const char **uninstrumented);

#endif
