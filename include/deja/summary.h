// SPDX-License-Identifier: MIT
/// \file
/// Parts of a trace that are analyzed separately, kept in files and joined:
/// the profile is that of the whole trace, exactly.
#ifndef DEJA_SUMMARY_H
#define DEJA_SUMMARY_H

#include <deja/profile.h>

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What was learned of a part; made by dj_measure_part (measure.h) or from a file.
typedef struct dj_summary dj_summary;

/// Which part of how many, or several that were joined: 2 to 3 of 5.
typedef struct dj_part {
    uint64_t first, last; ///< from 1 on
    uint64_t of;          ///< 0: the parts are not numbered, and joined in the order given
} dj_part;

#define DJ_PARTS_MOST UINT32_MAX

/// Writes it to a file that dj_summary_load reads. Nothing can be measured with it afterwards.
DJ_API int dj_summary_save(dj_context *context, dj_summary *summary, FILE *to);
/// What is not such a file, or damaged, is DJ_ERR_INPUT. `name` stands in messages.
DJ_API int dj_summary_load(dj_context *context, FILE *from, const char *name, dj_summary **out);
/// Joins the part that follows at once. Parts that do not fit together are
/// DJ_ERR_INPUT: the message says which, why, and what to do. Parts that were
/// measured with places must come from files. Destroy `later` afterwards, and after
/// an error both.
DJ_API int dj_summary_join(dj_context *context, dj_summary *summary, dj_summary *later);
/// The profile of the whole trace, with names where places were measured; the files of
/// the program must still be there then. `command` goes into its provenance. A part
/// that is missing is DJ_ERR_INPUT. Once for each summary.
DJ_API int dj_summary_profile(dj_context *context, dj_summary *summary, const char *command,
                              dj_profile **out);
DJ_API void dj_summary_destroy(dj_summary *summary); ///< NULL is fine

#ifdef __cplusplus
}
#endif
#endif
