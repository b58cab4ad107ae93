// SPDX-License-Identifier: MIT
// Which phases of a trace are alike.
#ifndef DEJA_OBSERVE_JOINT_KINDS_H
#define DEJA_OBSERVE_JOINT_KINDS_H

#include <deja/joint.h>

// Sets the kind of each phase of a sharer whose cells have the number of their phase as their kind.
int dj_kinds_find(dj_context *context, dj_joint_sharer *sharer, size_t *kinds);

#endif
