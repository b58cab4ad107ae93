#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# deja with engine gpu, on an emulated device: what it prints is what it prints with engine fast.
#   cli.sh DEJA TRACER_FOLDER
set -uo pipefail
deja=$1
export DEJA_LIB=$2 DEJA_EMULATE_MEMORY=64000000
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

fail() {
    echo "$*"
    exit 1
}

# All but what differs from run to run.
without_engine() {
    grep -vE '"(engine|engine_options|command|seconds)":' "$1" | sed 's/,$//'
}

# same NAME ARGUMENT…: both engines print the same.
same() {
    local name=$1
    shift
    "$deja" "$@" --json --engine fast >fast.json || fail "$name: engine fast fails"
    "$deja" "$@" --json --engine gpu --chunk 30000 >gpu.json 2>gpu.err || fail "$name: $(cat gpu.err)"
    grep -q '"engine": "gpu"' gpu.json || fail "$name: engine gpu did not work"
    [[ -s gpu.err ]] && fail "$name: says '$(cat gpu.err)'"
    diff <(without_engine fast.json) <(without_engine gpu.json) >difference || fail "$name: $(head -5 difference)"
}

"$deja" gen zipf -k 20000 -n 100000 --scatter -o keys.u64 2>/dev/null || fail "gen"
"$deja" gen stencil -k 5000 -s 3 --element-bytes 8 -o memory.deja 2>/dev/null || fail "gen"
same "a histogram, which is counted on the device" analyze --bins exact keys.u64
same "blocks" analyze --block 128 memory.deja
same "a curve" mrc keys.u64
same "observers that see each distance" stats keys.u64
same "several block sizes, with tags" spatial --blocks 32,64,128 memory.deja

# The estimate, counted on the device or returned one by one, and where it has too little memory.
for verb in analyze stats; do
    for memory in 1000000000 100000; do
        "$deja" $verb --json --engine hprda --st 100 --fragment 30000 keys.u64 >cpu.json || fail "hprda"
        DEJA_EMULATE_MEMORY=$memory "$deja" $verb --json --engine hprda-gpu --st 100 --fragment 30000 keys.u64 \
            >gpu.json 2>gpu.err || fail "hprda-gpu: $(cat gpu.err)"
        diff <(without_engine cpu.json) <(without_engine gpu.json) >difference || fail "hprda-gpu: $(head -5 difference)"
    done
    grep -q "note: .*engine hprda, on the processors, replaces" gpu.err || fail "hprda-gpu says '$(cat gpu.err)'"
done

# Keys that do not fit: a note, and the same numbers.
DEJA_EMULATE_MEMORY=700000 "$deja" analyze --json --bins exact --engine gpu --chunk 3000 keys.u64 >gpu.json 2>gpu.err ||
    fail "short memory: $(cat gpu.err)"
[[ $(cat gpu.err) == "deja: note: engine gpu: "*"engine fast does the rest" ]] ||
    fail "short memory: says '$(cat gpu.err)'"
"$deja" analyze --json --bins exact --engine fast keys.u64 >fast.json
diff <(without_engine fast.json) <(without_engine gpu.json) >difference || fail "short memory: $(head -5 difference)"
DEJA_EMULATE_MEMORY=100000000 "$deja" analyze --engine gpu --gpu-memory 700K --chunk 3000 keys.u64 2>gpu.err >/dev/null
grep -q "keys within --gpu-memory; engine fast does the rest" gpu.err || fail "--gpu-memory is not kept"
DEJA_EMULATE_MEMORY=1000 "$deja" analyze --engine gpu keys.u64 2>gpu.err >/dev/null
grep -q "does not have enough memory for a short chunk; engine fast does the rest" gpu.err || fail "no memory: $(cat gpu.err)"

# A pipe has no end that is known before.
"$deja" analyze --json --engine gpu --chunk 5000 --format u64le - <keys.u64 >gpu.json 2>gpu.err || fail "a pipe: $(cat gpu.err)"
"$deja" analyze --json --engine fast --format u64le - <keys.u64 >fast.json
diff <(without_engine fast.json) <(without_engine gpu.json) >difference || fail "a pipe: $(head -5 difference)"

"$deja" analyze --engine fast --gpu-memory 1G keys.u64 2>gpu.err
[[ $? -eq 2 ]] || fail "--gpu-memory is for engine gpu alone"

# A program that runs. Distances differ a little from run to run; those of one that was recorded do not.
if compgen -G "$DEJA_LIB/deja-*-linux" >/dev/null; then
    "$deja" record -o true.deja -- /bin/true 2>/dev/null || fail "record"
    same "places" analyze --by function true.deja
    "$deja" run --engine gpu --chunk 9000 --json -o gpu.json -- /bin/true 2>gpu.err || fail "run: $(cat gpu.err)"
    grep -q '"engine": "gpu"' gpu.json || fail "run: engine gpu did not work"
    "$deja" run --engine fast --json -o fast.json -- /bin/true 2>/dev/null || fail "run: engine fast fails"
    total=$(sed -n 's/^  "accesses": \([0-9]*\).*/\1/p' fast.json)
    grep -q "^  \"accesses\": $total," gpu.json || fail "run: other accesses than $total"
    "$deja" run --tool annotations --engine gpu -- /bin/true 2>gpu.err
    [[ $? -eq 2 ]] || fail "run: a program with annotations cannot use a device"
    grep -q "where an --engine on a GPU has no meaning" gpu.err || fail "run: says '$(cat gpu.err)'"
    DEJA_EMULATE_MEMORY=80000 "$deja" run --engine gpu --chunk 200 -- sh -c '/bin/true; exit 0' 2>gpu.err
    [[ $(grep -c "keys; engine fast does the rest" gpu.err) -eq 1 ]] ||
        fail "run: not one note of short memory: $(grep note gpu.err)"
fi

# Very long files are for the device, if nobody says otherwise: 256 MiB for each processor.
used() {
    DEJA_EMULATE_MEMORY=64000000 taskset -c "$processor" "$deja" analyze --json "$@" | sed -n 's/.*"engine": "\([a-z]*\)".*/\1/p'
}
processor=$(taskset -cp $$ 2>/dev/null | sed 's/.*: \([0-9]*\).*/\1/')
if [[ -n $processor ]]; then
    { echo 1 && yes '# nothing, but it takes room' | head -c 268435456; } >long.txt
    head -c 268000000 long.txt >shorter.txt
    [[ $(used long.txt) == gpu ]] || fail "a very long file is not for the device"
    [[ $(used --engine fast long.txt) == fast ]] || fail "the user's word does not count"
    [[ $(used -j 1 long.txt) == fast ]] || fail "-j 1 asks for one thread"
    [[ $(used shorter.txt) == fast ]] || fail "a device is not for short files"
fi
