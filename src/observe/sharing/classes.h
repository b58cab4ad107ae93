// SPDX-License-Identifier: MIT
// How many blocks each set of sharers accessed.
#ifndef DEJA_OBSERVE_SHARING_CLASSES_H
#define DEJA_OBSERVE_SHARING_CLASSES_H

#include <deja/sharing.h>

#include "observe/sharing/directory.h"

// Fills in the blocks of each sharer, and the classes.
int dj_sharing_classes(const dj_directory *directory, dj_context *context, dj_sharing *to);

#endif
