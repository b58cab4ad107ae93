// SPDX-License-Identifier: MIT
// Shared by the files of `deja info`.
#ifndef DEJA_CLI_VERBS_INFO_H
#define DEJA_CLI_VERBS_INFO_H

#include <deja/document.h>

#include "base/json/writer.h"

// "32 KiB", "1.25 MiB": as in the data sheets of processors.
const char *dj_info_bytes(dj_document *document, uint64_t bytes);

void dj_info_add_gpu(dj_document *document, dj_node *facts);
void dj_info_write_gpu(dj_json_writer *json);

#endif
