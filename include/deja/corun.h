// SPDX-License-Identifier: MIT
/// \file
/// Predicts the reuse distances of programs or threads in a cache that they share, from the profile of each
/// alone.
#ifndef DEJA_CORUN_H
#define DEJA_CORUN_H

#include <deja/joint.h>
#include <deja/sharing.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { DJ_CORUN_MOST = 64 }; ///< sharers

enum dj_corun_order {
    DJ_CORUN_STEADY, ///< in proportion to the speeds
    /// As section joint shows how they took turns (`turns`); the speeds only say how the others share theirs.
    DJ_CORUN_RECORDED,
    DJ_CORUN_RANDOM, ///< each next access is by sharer i with probability speed i / sum of speeds
};

typedef struct dj_corun_sharer {
    const dj_joint_sharer *profile;
    double speed; ///< accesses per unit of time, positive
} dj_corun_sharer;

/// Sharers that start together. Those with equal profiles and speeds run in step, as threads with the same
/// code do, unless they start again. One that has ended no longer affects the others, unless it starts again.
typedef struct dj_corun {
    const dj_corun_sharer *sharers;
    size_t count;
    const dj_sharing_class *classes; ///< blocks that several sharers access; others belong to one sharer
    size_t class_count;
    enum dj_corun_order order;
    bool again;       ///< a sharer that ends starts again, at times that do not depend on the others
    size_t predicted; ///< only the first so many sharers are predicted; 0: all
    /// Called by dj_corun_groups after each group, with the number of groups so far and of all; NULL: none.
    void (*on_progress)(void *user, size_t done, size_t all);
    void *user;
} dj_corun;

/// Frees what a prediction owns.
DJ_API void dj_prediction_free(dj_prediction *prediction);

/// A model: one file in src/model/corun and a line in its registry.
typedef struct dj_corun_model {
    const char *name;
    const char *summary;
    /// Predicts the distances of each sharer; `out` has one element for each that is predicted, which the
    /// caller frees. After an error there is nothing to free. DJ_ERR_USAGE if a speed is not positive, or a
    /// sharer has no accesses.
    int (*predict)(dj_context *context, const dj_corun *corun, dj_prediction *out);
} dj_corun_model;

DJ_API size_t dj_corun_model_count(void);
DJ_API const dj_corun_model *dj_corun_model_get(size_t index); ///< the first is the default
DJ_API const dj_corun_model *dj_corun_model_find(const char *name);

/// 1 - E / 2, where E is the sum of the absolute differences of two histograms whose bars add up to 1 (Jiang
/// and others 2010). Reuses only; cold accesses are left out of both. A bar at distance d is 1 wide, or
/// `relative` times d if that is more, and never narrower than a bin of the prediction. NAN without reuses.
DJ_API double dj_prediction_accuracy(const dj_prediction *prediction, const dj_histogram *measured,
                                     double relative);

/// The distinct data in a window of `length` accesses of a sharer, averaged over all such windows of its
/// trace; between integers it is interpolated.
DJ_API int dj_corun_distinct(dj_context *context, const dj_joint_sharer *sharer, const double *lengths,
                             size_t count, double *out);

/// Predicts the distances of each sharer by a model, from the sections `joint` (of the lane with one stack
/// for each sharer) and `sharing` of a profile, and adds the predictions to the latter. The speeds in
/// an order that was recorded are in proportion to the numbers of accesses.
DJ_API int dj_sharing_predict(dj_context *context, dj_profile *profile, const dj_corun_model *model);

/// Misses of a sharer in a fully associative cache of so many blocks; all accesses if it has none.
DJ_API int dj_sharer_misses(dj_context *context, const dj_sharer_distances *distances, uint64_t blocks,
                            uint64_t *out);

/// Estimates from their samples which blocks the sharers have in common: exact if no sharer has more than
/// DJ_JOINT_SAMPLE blocks. At most DJ_CORUN_MOST sharers (DJ_ERR_USAGE). The caller frees *out.
DJ_API int dj_corun_classes(dj_context *context, const dj_joint_sharer *const *sharers, size_t count,
                            dj_sharing_class **out, size_t *class_count);

/// Misses of a fully associative LRU cache of `blocks` blocks, including cold ones. Within a bin of the
/// prediction reuses are spread evenly.
DJ_API double dj_prediction_misses(const dj_prediction *prediction, uint64_t blocks);

/// What a core does between misses.
typedef struct dj_corun_core {
    double cycles;  ///< per access, if none misses
    double penalty; ///< cycles that a miss adds
} dj_corun_core;

enum { DJ_CORUN_SUBSET = 4 }; ///< sharers in a subset, at most

/// The miss ratios of sharers that share a cache.
typedef struct dj_corun_group {
    uint64_t sharers;               ///< bit i: sharer i
    size_t count;                   ///< 1 to DJ_CORUN_SUBSET
    size_t sharer[DJ_CORUN_SUBSET]; ///< increasing
    double ratio[DJ_CORUN_SUBSET];  ///< of each, in order
    double cycles[DJ_CORUN_SUBSET]; ///< per access of each; 0 without cores
    bool second;                    ///< other speeds of the previous group, which also fit its miss ratios
} dj_corun_group;

/// Every subset of 1 to `most` sharers in a cache of `blocks` blocks, by size and then by sharers. With
/// `cores`, one for each sharer, their speeds are those that fit the miss ratios (dj_corun_speeds); otherwise
/// NULL. The caller frees *out. DJ_ERR_USAGE if `most` exceeds DJ_CORUN_SUBSET, DJ_ERR_STOPPED when the
/// context is stopped.
DJ_API int dj_corun_groups(dj_context *context, const dj_corun *corun, const dj_corun_model *model,
                           size_t most, uint64_t blocks, const dj_corun_core *cores, dj_corun_group **out,
                           size_t *group_count);

enum { DJ_CORUN_PAIRED = 20 };

/// Divides at most DJ_CORUN_PAIRED items into pairs with the lowest total cost; of an odd number one stays
/// alone. cost[i * count + k] is that of a pair i < k, and of i alone if they are equal. partner[i] is i if
/// it is alone. Exact: all subsets are compared.
DJ_API int dj_corun_pair(dj_context *context, const double *cost, size_t count, size_t *partner,
                         double *total);

/// Speeds at which each sharer makes one access in cycles + penalty * miss ratio, where the miss ratios are
/// those at these speeds, in a cache of `blocks` blocks. The speeds of `corun` are ignored. Of two sharers,
/// `low` has the lowest and `high` the highest relative speed of the second with this property; they are
/// equal if there is one. Of more sharers one solution is found. A speed and the one that follows from its
/// miss ratio differ by 1e-6 of it, or by up to 0.1 % where miss ratios jump. If no such speeds are found,
/// the result is DJ_ERR_UNSUPPORTED, and the message tells the difference.
DJ_API int dj_corun_speeds(dj_context *context, const dj_corun *corun, const dj_corun_model *model,
                           uint64_t blocks, const dj_corun_core *cores, double *low, double *high);

enum dj_corun_scaling {
    DJ_CORUN_WEAK,   ///< each thread does what the profile does, with its own data
    DJ_CORUN_STRONG, ///< the threads divide the work and the data of the profile
};

/// Threads that run the code of one profile in a shared cache.
typedef struct dj_corun_team {
    const dj_joint_sharer *profile;
    enum dj_corun_scaling scaling;
    double shared; ///< part of the blocks that all threads access, from 0 to 1; weak scaling only
    enum dj_corun_order order;
} dj_corun_team;

typedef struct dj_corun_member {
    double ratio; ///< miss ratio of each thread
    /// A lower bound, where only bounds are known. Blocks that are divided among threads: between two
    /// accesses to one of them, all threads together access at least the blocks that the one thread did, and
    /// at most as many each. The miss ratio is that of one thread if these bounds do not matter.
    double least;
} dj_corun_member;

/// The miss ratio of each of 1 to `most` threads in a cache of `blocks` blocks; out[i] is that of i + 1
/// threads. Threads are at independent places of the code. At most DJ_CORUN_MOST (DJ_ERR_USAGE).
DJ_API int dj_corun_threads(dj_context *context, const dj_corun_team *team, const dj_corun_model *model,
                            size_t most, uint64_t blocks, dj_corun_member *out);

/// Accesses per cycle of all threads, on `cores` cores with equal numbers of threads, or one more. The
/// threads of a core overlap their misses, but share its cycles: k threads make at most one access in
/// `cycles`, and at most k in `cycles` + penalty * ratio.
DJ_API double dj_corun_throughput(const dj_corun_core *core, size_t threads, size_t cores, double ratio);

#ifdef __cplusplus
}
#endif
#endif
