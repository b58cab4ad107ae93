#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Profiles of sharers with impossible numbers are refused, and the message names the place.
#   sharing_refused.sh DEJA SOURCES BUILD
set -uo pipefail
deja=$1 corpus=$2/tests/fuzz/corpus/profile
bad=0
while IFS='|' read -r name place; do
    status=0
    message=$("$deja" report "$corpus/$name" 2>&1 >/dev/null) || status=$?
    [[ $status == 3 && $message == *": $place"* ]] && continue
    echo "$name: status $status instead of 3, or not '$place': $message"
    bad=1
done <<'END'
wrong_no_sharers|sharers: there are none
wrong_prediction_accuracy|sharers[0].predicted: 
wrong_schedules_count|schedules: 'count'
wrong_schedules_distance|schedules.distance: 
wrong_shared_cache_bytes|shared_caches[0]: the cache has no bytes
wrong_shared_cache_sharers|shared_caches[0]: no sharer was measured in it
wrong_sharer_blocks|sharers[0]: 'blocks'
wrong_sharer_broken|sharers[0]: 'broken'
wrong_sharer_distances|sharers[0].standalone: a distance
wrong_sharer_found|sharers[0]: 'found'
wrong_sharer_shared|sharers[0]: 'blocks' and 'shared'
wrong_sharer_stretched|sharers[0]: 'shortened' and 'stretched'
wrong_sharer_true|sharers[0]: 'true_sharing' and 'false_sharing'
wrong_sharers_many|sharers[2]: 
wrong_sharing_class|sharing_classes[0]: 
END
"$deja" report "$corpus/sharing" >/dev/null || bad=1
exit $bad
