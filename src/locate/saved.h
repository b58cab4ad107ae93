// SPDX-License-Identifier: MIT
// Saves what a locator found to a file: for parts of a stream that other processes have located, and whose
// names are resolved when they are joined.
#ifndef DEJA_LOCATE_SAVED_H
#define DEJA_LOCATE_SAVED_H

#include "base/pack.h"
#include "locate/locate.h"

#include <deja/observer_options.h>

// Identifies what each number represents, by module and offset, path of calls, allocation.
int dj_located_identify(dj_context *context, const dj_located *all, dj_place_identities *out);

// Functions and variables are identified by where they are.
void dj_located_save(const dj_located *all, const dj_symbols *symbols, dj_packer *to);
// Numbers are those of `symbols`, which gets the modules. DJ_ERR_INPUT also if a module is missing or has
// changed. The input is untrusted.
int dj_located_load(dj_context *context, dj_unpacker *from, dj_symbols *symbols, dj_located **out);
void dj_located_destroy(dj_located *all); // one that was loaded

#endif
