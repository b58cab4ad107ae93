// SPDX-License-Identifier: MIT
// The relative speeds of the sharers in an order that depends on them.
#ifndef DEJA_REPORT_SPEEDS_GIVEN_H
#define DEJA_REPORT_SPEEDS_GIVEN_H

#include <deja/document.h>
#include <deja/sharing.h>

// Nothing if all are equal.
void dj_add_given_speeds(dj_document *document, const dj_sharing *sharing);

#endif
