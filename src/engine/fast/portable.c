// SPDX-License-Identifier: MIT
// The kernel of engine fast for any machine.
#include "engine/fast/fast.h"

#include <string.h>

#include "engine/fast/coarser_plain.h"
#include "engine/fast/plain.h"

#define take_keys plain_take_keys
#define find_lags plain_find_lags
#define count_short plain_count_short
#define find_endings plain_find_endings
#define list_bits plain_list_bits
#define assign_points plain_assign_points
#define list_lines plain_list_lines
#define find_wrong plain_find_wrong
#define squeeze_bits plain_squeeze_bits
#define spread_bits plain_spread_bits
#define find_different plain_find_different
#define find_latest plain_find_latest
#define latest_row plain_latest_row
#define give_latest plain_give_latest
#define match_line plain_match_line
#define compare_points plain_compare_points
#define in_one_group plain_in_one_group
#define subtract_after_16 plain_subtract_after_16
#define subtract_after_32 plain_subtract_after_32
#define subtract_together_16 plain_subtract_together_16
#define subtract_together_32 plain_subtract_together_32
#include "engine/fast/kernel.h"
#include "engine/fast/lines.h"
#include "engine/fast/operations_kernel.h"

const dj_fast_path dj_fast_portable = {.name = "portable",
                                       .squeeze = plain_squeeze,
                                       .spread = plain_spread,
                                       .squeeze_tags = plain_squeeze_tags,
                                       .squeeze_times = plain_squeeze_times,
                                       .spread_tags = plain_spread_tags,
                                       .spread_times = plain_spread_times,
                                       .survey = survey,
                                       .answer_within = answer_within,
                                       .answer = answer,
                                       .answer_with_holes = answer_with_holes,
                                       .remove = remove_point,
                                       .exchange_all = exchange_all,
                                       .answer_given = answer_given,
                                       .find_others = find_others,
                                       .fill_tags = plain_fill_tags,
                                       .compact = compact,
                                       .hashed = {.start = start_in_table, .find = find_in_table}};
