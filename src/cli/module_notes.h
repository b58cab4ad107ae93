// SPDX-License-Identifier: MIT
// Notes on standard error about the object files of a program. The report says the same, but it may go to a
// file or another program.
#ifndef DEJA_CLI_MODULE_NOTES_H
#define DEJA_CLI_MODULE_NOTES_H

#include <deja/profile.h>

// What the program itself, its first module, lacks. `profile` may be NULL.
void dj_note_program(const dj_profile *profile);
// Modules with at least 1% of the accesses whose files are missing, unreadable or have changed.
void dj_note_lost_modules(dj_context *context, const dj_profile *profile);

#endif
