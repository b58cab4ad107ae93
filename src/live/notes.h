// SPDX-License-Identifier: MIT
// Notes that Deja's compilers and headers leave in a program.
#ifndef DEJA_LIVE_NOTES_H
#define DEJA_LIVE_NOTES_H

#include <deja/error.h>

#define DJ_NOTE_OWNER "Deja"

// Types of notes.
enum {
    DJ_NOTE_LOADS = 0,        // no note: it has an interpreter, which loads libraries
    DJ_NOTE_INSTRUMENTED = 1, // by `deja cc`: tells its accesses by itself
    DJ_NOTE_ANNOTATED = 2,    // by <deja/record.h>: its source tells of its data, to a library that it loads
    DJ_NOTE_MARKS = 3,        // likewise: of its data, of regions or of names of threads
};

// A bit 1 << type for each that the file has; 0 when it is no ELF file, or a bad one.
unsigned dj_notes_read(const char *path);

#endif
