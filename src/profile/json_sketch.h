// SPDX-License-Identifier: MIT
// Sketches as text. A rank is one of the 64 digits of base64 (A is 0). If few registers are in use, there
// are three characters for each: two hexadecimal digits for its index, and the rank. Otherwise there are
// 256 ranks.
#ifndef DEJA_PROFILE_JSON_SKETCH_H
#define DEJA_PROFILE_JSON_SKETCH_H

#include <deja/attribution.h>

enum { DJ_SKETCH_TEXT = DJ_SKETCH_REGISTERS + 1, DJ_SKETCH_RANK_MOST = 57 };

// Writes into `text` of DJ_SKETCH_TEXT bytes and returns it.
const char *dj_sketch_print(const dj_sketch *sketch, char *text);
// False: the text has neither form.
bool dj_sketch_parse(const char *text, dj_sketch *out);

#endif
