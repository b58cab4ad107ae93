// SPDX-License-Identifier: MIT
// Names that the writer and the reader of JSON profiles share.
#ifndef DEJA_PROFILE_JSON_H
#define DEJA_PROFILE_JSON_H

#include <deja/profile.h>

#define DJ_PROFILE_SCHEMA "deja-profile"
enum { DJ_PROFILE_VERSION = 1 };

// "lru", "fifo", "lfu", by enum dj_policy; NULL ends them.
extern const char *const dj_policy_names[];

#endif
