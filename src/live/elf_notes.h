// SPDX-License-Identifier: MIT
// ELF notes that Deja's compilers and headers leave in a program.
#ifndef DEJA_LIVE_ELF_NOTES_H
#define DEJA_LIVE_ELF_NOTES_H

#include <deja/error.h>

#define DJ_NOTE_OWNER "Deja"

// Types of notes.
enum {
    DJ_NOTE_LOADS = 0,        // no note: it has an interpreter, which loads libraries
    DJ_NOTE_INSTRUMENTED = 1, // by `deja cc`: the program records its accesses
    DJ_NOTE_ANNOTATED = 2,    // by <deja/record.h>: its source declares data, to a library that it loads
    DJ_NOTE_MARKS = 3,        // likewise: data, regions or names of threads
};

// Bit 1 << type for each note in the file; 0 if it is not a valid ELF file. *fault is errno if it cannot be
// read, else 0.
unsigned dj_elf_notes_read(const char *path, int *fault);

#endif
