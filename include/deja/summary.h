// SPDX-License-Identifier: MIT
/// \file
/// Parts of a trace that are analyzed separately, saved in files and joined. The joined profile is
/// exactly that of the complete trace.
#ifndef DEJA_SUMMARY_H
#define DEJA_SUMMARY_H

#include <deja/profile.h>

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The result of analyzing a part; created by dj_measure_part (measure.h) or loaded from a file.
typedef struct dj_summary dj_summary;

/// Which part of how many, or several joined ones: 2 to 3 of 5.
typedef struct dj_part {
    uint64_t first, last; ///< counted from 1
    uint64_t of;          ///< 0: parts are not numbered; they are joined in the order given
} dj_part;

#define DJ_PARTS_MOST UINT32_MAX

/// Writes a file for dj_summary_load. The summary cannot measure anything afterwards.
DJ_API int dj_summary_save(dj_context *context, dj_summary *summary, FILE *to);
/// Returns DJ_ERR_INPUT if the file is not a summary or is damaged. `name` appears in messages.
DJ_API int dj_summary_load(dj_context *context, FILE *from, const char *name, dj_summary **out);
/// Joins the part that follows immediately. Returns DJ_ERR_INPUT if the parts do not fit together; the
/// message says which, why, and what to do. Parts measured with places must come from files. Destroy
/// `later` afterwards; after an error, destroy both.
DJ_API int dj_summary_join(dj_context *context, dj_summary *summary, dj_summary *later);
/// The profile of the complete trace. If places were measured, it contains names, for which the
/// program's files must still exist; `symbols` as in dj_request. `command` is recorded in the provenance.
/// Returns DJ_ERR_INPUT if a part is missing. May be called once per summary.
DJ_API int dj_summary_profile(dj_context *context, dj_summary *summary, const char *command,
                              const char *symbols, dj_profile **out);
DJ_API void dj_summary_destroy(dj_summary *summary); ///< NULL is allowed

#ifdef __cplusplus
}
#endif
#endif
