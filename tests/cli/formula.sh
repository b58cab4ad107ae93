#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Smith's formula against simulated caches on real traces: if blocks are mapped to sets
# by a hash, as it assumes, it is within one percentage point at 16 ways.
set -euo pipefail
deja=$1
[[ -n ${DEJA_TRACES:-} ]] || {
    echo "skipped: DEJA_TRACES is not set"
    exit 77
}

check() {
    local trace=$DEJA_TRACES/$1
    shift
    "$deja" mrc --simulate lru --ways 16 --hash-sets --sizes 64,512,4096,32768 --export csv "$@" "$trace" |
        awk -F, -v trace="$trace" '
            $1 == "smith" { formula[$3] = $7 }
            $1 == "simulated-lru" { simulated[$3] = $7; n++ }
            END {
                for (size in simulated) {
                    off = 100 * (formula[size] - simulated[size])
                    if (off > 1 || off < -1) {
                        printf "%s at %d blocks: the formula is off by %.2f points\n", trace, size, off
                        bad = 1
                    }
                }
                if (n != 4) { print trace ": " n " sizes, expected 4"; bad = 1 }
                exit bad
            }'
}

check lirs/sprite.trace.gz --format lirs
check lirs/loop.trace.gz --format lirs
check lirs/2_pools.trace.gz --format lirs
check arc/OLTP.lis.zst --format arc
check cache2k/web07.trace.xz --format u32be
check cache2k/web12.trace.xz --format u32be
check cdn/request.trace.xz --format webcachesim
check address/gcc.trace.gz --format address --block 64
check address/twolf.trace.gz --format address --block 64
check ramulator/464.h264ref.gz --format ramulator --block 64
check llm/conversation_trace.jsonl --format mooncake
