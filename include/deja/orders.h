// SPDX-License-Identifier: MIT
/// \file
/// One computation in several orders, and where their long reuses are (C. Ding and Y. Zhong, "Reuse distance
/// analysis", 2001, section 3.3). reorder.h makes these from a trace.
#ifndef DEJA_ORDERS_H
#define DEJA_ORDERS_H

#include <deja/breakdown.h>
#include <deja/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

enum dj_execution_order {
    DJ_AS_WRITTEN,   ///< that of the run
    DJ_REUSE_DRIVEN, ///< after each statement comes what uses the same data
    DJ_LOOPS_FUSED,  ///< loops that follow each other run together
};
enum { DJ_EXECUTION_ORDERS = DJ_LOOPS_FUSED + 1 };

/// "as written", "reuse-driven", "loops fused".
DJ_API const char *dj_execution_order_name(enum dj_execution_order order);

typedef struct dj_reordering {
    uint64_t instances; ///< of statements that count, and accesses in none
    uint64_t accesses;  ///< the same in every order
    uint64_t in_order;  ///< those that keep their order, since nothing is known of the registers they use
    /// To scalars on the stack, which are not counted: a compiler keeps them in registers.
    uint64_t scalar_accesses;
    bool scalars;                              ///< dependences through scalars on the stack are known
    bool annotated;                            ///< elements and statements are those that the program records
    dj_profile *profiles[DJ_EXECUTION_ORDERS]; ///< with attribution, and the same cuts
    size_t cut; ///< of these, from which reuses are long: where an order saves most (dj_reordering_choose)
} dj_reordering;
DJ_API void dj_reordering_free(dj_reordering *reordering);

/// Marks the profiles as partial, with the reason, unless they already are.
DJ_API int dj_reordering_mark_partial(dj_context *context, dj_reordering *reordering, const char *why);

/// Reuses of at least the distance of a cut.
DJ_API uint64_t dj_reordering_long(const dj_reordering *reordering, enum dj_execution_order order,
                                   size_t cut);
/// That distance, in blocks.
DJ_API uint64_t dj_reordering_long_from(const dj_reordering *reordering, size_t cut);
DJ_API size_t dj_reordering_cut_count(const dj_reordering *reordering);
/// Chooses the cut at which another order has the fewest long reuses in comparison to the order as written.
DJ_API void dj_reordering_choose(dj_reordering *reordering);

/// A data object, line, …
typedef struct dj_reordered_row {
    char *name;
    uint64_t accesses;
    uint64_t longs[DJ_EXECUTION_ORDERS]; ///< long reuses
} dj_reordered_row;

typedef struct dj_reordered_rows {
    dj_reordered_row *list; ///< by what the best order saves, the most first
    size_t count;
} dj_reordered_rows;

DJ_API int dj_reordered_rows_create(dj_context *context, const dj_reordering *reordering, enum dj_by by,
                                    dj_reordered_rows *out);
DJ_API void dj_reordered_rows_free(dj_reordered_rows *rows);

/// The order with the fewest long reuses of a cut; the order as written if no other has fewer.
DJ_API enum dj_execution_order dj_reordering_best(const dj_reordering *reordering, size_t cut);

#ifdef __cplusplus
}
#endif
#endif
