// SPDX-License-Identifier: MIT
// Parts of `deja info`.
#ifndef DEJA_CLI_INFO_H
#define DEJA_CLI_INFO_H

#include "base/json_writer.h"

#include <stdint.h>
#include <stdio.h>

// 32 KiB, 1.25 MiB: as the makers of caches write it.
void dj_info_print_bytes(FILE *out, uint64_t bytes);

void dj_info_print_gpu(FILE *out);
void dj_info_write_gpu(dj_json_writer *json);

#endif
