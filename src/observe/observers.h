// SPDX-License-Identifier: MIT
// All built-in observers, for the registry.
#ifndef DEJA_OBSERVE_OBSERVERS_H
#define DEJA_OBSERVE_OBSERVERS_H

#include <deja/observer.h>

extern const dj_observer_ops dj_observer_histogram;
extern const dj_observer_ops dj_observer_time;
extern const dj_observer_ops dj_observer_bytes;
extern const dj_observer_ops dj_observer_fingerprint;
extern const dj_observer_ops dj_observer_digest;
extern const dj_observer_ops dj_observer_keys;
extern const dj_observer_ops dj_observer_key_lists;
extern const dj_observer_ops dj_observer_strides;
extern const dj_observer_ops dj_observer_traffic;
extern const dj_observer_ops dj_observer_sizes;
extern const dj_observer_ops dj_observer_simulate;
extern const dj_observer_ops dj_observer_places;
extern const dj_observer_ops dj_observer_spatial;
extern const dj_observer_ops dj_observer_spatial_places;
extern const dj_observer_ops dj_observer_spatial_bursts;
extern const dj_observer_ops dj_observer_usage;
extern const dj_observer_ops dj_observer_partitions;
extern const dj_observer_ops dj_observer_windows;
extern const dj_observer_ops dj_observer_joint;
extern const dj_observer_ops dj_observer_sharing;
extern const dj_observer_ops dj_observer_sharing_places;
extern const dj_observer_ops dj_observer_sample;
extern const dj_observer_ops dj_observer_bursts;
extern const dj_observer_ops dj_observer_tracing;
extern const dj_observer_ops dj_observer_spread;
extern const dj_observer_ops dj_observer_slices;
extern const dj_observer_ops dj_observer_elements;
extern const dj_observer_ops dj_observer_hierarchy;
extern const dj_observer_ops dj_observer_hierarchy_places;
extern const dj_observer_ops dj_observer_tlb;

#endif
