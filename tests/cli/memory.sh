#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --memory: the process stays within it, whatever the trace; what it accepts, refuses, prints and saves.
set -euo pipefail
deja=$(realpath "$1")
# shellcheck source=tests/support/shows
source "$2/tests/support/shows"
# shellcheck source=tests/support/refuses
source "$2/tests/support/refuses"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$deja" gen uniform --keys 3000000 --accesses 4000000 --seed 1 -o many.u64le 2>/dev/null
"$deja" gen loop --keys 2000000 --sweeps 2 -o loop.u64le 2>/dev/null
"$deja" gen zipf --keys 20000 --accesses 200000 --seed 1 -o few.u64le 2>/dev/null

for size in abc -1 '' 1x; do
    refuses 2 "is not a size" mrc --memory "$size" few.u64le
done
refuses 2 "the least that works is" mrc --memory 1M few.u64le
least=$(sed -n 's/.*the least that works is //p' messages)
refuses 2 "cannot be estimated from a sample" analyze --fingerprint --memory 64M few.u64le
for engine in parallel shadow count; do
    refuses 2 "engine '$engine' cannot drop keys" mrc --memory 64M --engine "$engine" few.u64le
done
refuses 2 "unknown option --memory" run --memory 64M -- true

# What fits is exact, and says so.
for verb in "analyze --bins exact" mrc; do
    # shellcheck disable=SC2086
    diff <("$deja" $verb --json --engine fast --memory 64M few.u64le | grep -v '"command"') \
        <("$deja" $verb --json --engine fast few.u64le | grep -v '"command"')
done
"$deja" mrc --memory 64M few.u64le >exact.txt
grep -q "engine fast.* exact$" exact.txt

# The largest resident set, in KiB. Sanitizers and emulators need memory of their own.
resident() {
    python3 - "$deja" "$@" <<'END'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
END
}
if (($(resident --version) < 16 * 1024)); then
    for trace in many loop; do
        for memory in "${least%M}" 40 64; do
            for verb in mrc "analyze --bins exact --json"; do
                # shellcheck disable=SC2086
                used=$(resident $verb --memory "${memory}M" $trace.u64le)
                ((used <= memory * 1024)) || {
                    echo "deja $verb --memory ${memory}M $trace.u64le: $used KiB"
                    exit 1
                }
            done
        done
    done
else
    echo "the resident set is not checked: this build needs more memory"
fi

# The same seed, the same result, from a pipe, compressed, and after saving.
estimate() { "$deja" mrc --json --sizes 10000,1000000 "$@" 2>/dev/null | sed -n '/"points"/,/"certified"/p'; }
estimate --memory 32M many.u64le >file.json
grep -q '"low": ' file.json
grep -q '"rate": 0.0625,.*"certified": false' file.json || grep -q '"rate": 0.125,.*"certified": false' file.json
estimate --memory 32M --format u64le - < <(head -c 1000001 many.u64le; sleep 0.1; tail -c +1000002 many.u64le) | cmp - file.json
gzip -1 -c many.u64le >many.gz
estimate --memory 32M --format u64le many.gz | cmp - file.json
[[ $(estimate --memory 32M --sample-seed 1 many.u64le) != "$(<file.json)" ]]
"$deja" analyze --memory 32M -o saved.dejap many.u64le 2>/dev/null
"$deja" analyze --bins exact --memory 32M --json -o saved.json many.u64le 2>/dev/null
for profile in saved.json saved.dejap; do
    estimate "$profile" | cmp - file.json
    "$deja" report "$profile" | tr '\n' ' ' >report.txt
    grep -q "ESTIMATE from a sample" report.txt
    grep -q "within 32 MiB" report.txt
done
grep -q '"memory": 33554432' saved.json
grep -q '"first_log2": 0' saved.json
sed 's/"first_log2": 0/"first_log2": 40/' saved.json >wrong.json
refuses 3 "first_log2 is 40" report wrong.json

# It begins at the rate that is given.
"$deja" analyze --sample 50% --memory 32M --json -o half.json many.u64le 2>/dev/null
grep -q '"first_log2": 1' half.json

# A trace with sizes has curves in bytes: exact as long as it fits, and otherwise with a band that contains the
# exact curve.
awk 'BEGIN { srand(1); print "time,key,size"; for (i = 0; i < 600000; i++) { k = int(400000 * rand()); print i "," k "," 100 + k % 4999 } }' >sized.csv
bytes() { "$deja" mrc --json --sizes 1M,100M,400M,1G "$@" sized.csv 2>/dev/null | grep '"size_bytes"'; }
bytes --memory 1G | cmp - <(bytes)
python3 - <(bytes --memory 40M | sed 's/,$//') <(bytes | sed 's/,$//') <<'END'
import json, sys
estimates, exact = ([json.loads(line) for line in open(name)] for name in sys.argv[1:])
assert len(estimates) == len(exact) == 4
for e, x in zip(estimates, exact):
    assert e["low"] <= x["ratio"] <= e["high"], (e, x)
    assert e["byte_low"] <= x["byte_ratio"] <= e["byte_high"], (e, x)
END

# Statistics, and a stack for each device.
"$deja" stats --memory 64M many.u64le >stats.txt 2>/dev/null
grep -q ESTIMATE stats.txt
diff <("$deja" stats --json --memory 64M few.u64le | grep -v 'command\|seconds') <("$deja" stats --json few.u64le | grep -v 'command\|seconds')
awk 'BEGIN { srand(1); print "time,device,offset,size"; for (i = 0; i < 600000; i++) print i ",d" i % 3 "," 4096 * int(300000 * rand()) ",4096" }' >devices.csv
"$deja" mrc --each device --memory 40M devices.csv >each.txt 2>/dev/null
grep -q "ESTIMATE from a sample" each.txt
if (($(resident --version) < 16 * 1024)); then
    for arguments in "mrc --memory 40M sized.csv" "stats --memory 64M many.u64le" "mrc --each device --memory 40M devices.csv" \
        "analyze --memory 64M --summary --part 1/2 -o part.dejasum many.u64le"; do
        # shellcheck disable=SC2086
        used=$(resident $arguments)
        limit=${arguments#*--memory }
        limit=${limit%%M*}
        ((used <= limit * 1024)) || {
            echo "deja $arguments: $used KiB"
            exit 1
        }
    done
fi

# Parts: exact if all fit; otherwise the joined result is an estimate at the lowest rate.
head -c 800000 few.u64le >few1.u64le
tail -c +800001 few.u64le >few2.u64le
head -c 16000000 many.u64le >many1.u64le
tail -c +16000001 many.u64le >many2.u64le
for trace in few many; do
    for part in 1 2; do
        "$deja" analyze --memory 64M --summary --part $part/2 -o $trace$part.dejasum $trace$part.u64le 2>/dev/null
    done
done
points() { "$deja" mrc --json --sizes 100,10000,1000000,2000000 "$1" | grep '"size"'; }
"$deja" join --json --bins exact -o few.json few1.dejasum few2.dejasum
"$deja" analyze --json --bins exact -o whole.json few.u64le
points few.json | cmp - <(points whole.json)
"$deja" join --json --bins exact -o many.json many1.dejasum many2.dejasum
"$deja" report many.json | tr '\n' ' ' | shows "ESTIMATE from a sample"
"$deja" analyze --json --bins exact -o whole.json many.u64le
python3 - <(points many.json | sed 's/,$//') <(points whole.json | sed 's/,$//') <<'END'
import json, sys
estimates, exact = ([json.loads(line) for line in open(name)] for name in sys.argv[1:])
for e, x in zip(estimates, exact):
    assert e["low"] <= x["ratio"] <= e["high"], (e, x)
END
