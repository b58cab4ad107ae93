// SPDX-License-Identifier: MIT
// Clusters of reuses that differ only in their data, such as two arrays that the same loops sweep.
#ifndef DEJA_MODEL_REUSE_CLUSTER_H
#define DEJA_MODEL_REUSE_CLUSTER_H

#include <deja/reuse.h>

enum { DJ_CLUSTER_MEMBERS = 4 };

typedef struct dj_cluster {
    const dj_reuse *members[DJ_CLUSTER_MEMBERS]; // worst first; only the first for each data object
    size_t named;                                // number of members
    size_t count;                                // number of reuses in total
    dj_tally tally;
    double weight;
} dj_cluster;

// Clusters of the worst reuses, worst first, at most `most` of them.
int dj_clusters_create(dj_context *context, const dj_reuses *reuses, size_t most, dj_cluster **out,
                       size_t *count);
void dj_clusters_destroy(dj_cluster *clusters, size_t count); // NULL is allowed

#endif
