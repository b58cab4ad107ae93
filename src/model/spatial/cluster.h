// SPDX-License-Identifier: MIT
// Reuses that differ only in their data are one matter to a reader: two arrays
// that the same loops sweep.
#ifndef DEJA_MODEL_SPATIAL_CLUSTER_H
#define DEJA_MODEL_SPATIAL_CLUSTER_H

#include <deja/reuse.h>

enum { DJ_CLUSTER_MEMBERS = 4 };

typedef struct dj_cluster {
    const dj_reuse *members[DJ_CLUSTER_MEMBERS]; // worst first; of those with the same data the first
    size_t named;                                // of them
    size_t count;                                // of reuses in all
    dj_tally tally;
    double weight;
} dj_cluster;

// Clusters of the worst reuses, worst first, at most `most` of them.
int dj_clusters_create(dj_context *context, const dj_reuses *reuses, size_t most, dj_cluster **out,
                       size_t *count);
void dj_clusters_destroy(dj_cluster *clusters, size_t count); // NULL is fine

#endif
