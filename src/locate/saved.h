// SPDX-License-Identifier: MIT
// All that a locator met, in a file: for parts of a stream that other processes
// have located, to be named when they are joined.
#ifndef DEJA_LOCATE_SAVED_H
#define DEJA_LOCATE_SAVED_H

#include "base/pack.h"
#include "locate/locate.h"

#include <deja/observer_options.h>

// What each number stands for, told by module and offset, path of calls, allocation.
int dj_located_identify(dj_context *context, const dj_located *all, dj_place_identities *out);

// Functions and variables are told by where they are found.
void dj_located_save(const dj_located *all, const dj_symbols *symbols, dj_packer *to);
// Their numbers are those of `symbols`, which gets the modules. DJ_ERR_INPUT also when
// a module is not there any more, or another. Nothing that is read is believed.
int dj_located_load(dj_context *context, dj_unpacker *from, dj_symbols *symbols, dj_located **out);
void dj_located_destroy(dj_located *all); // one that was loaded

#endif
