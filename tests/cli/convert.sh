#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# deja gen and deja convert: their output has the same analysis as the input, errors
# leave no file, and a killed writer leaves a readable trace.
set -uo pipefail
deja=$1 source=$2
# shellcheck source=tests/support/shows
source "$2/tests/support/shows"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit
bad=0
complain() {
    echo "$*"
    bad=1
}
value() { sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}$/\1/p" "$2" | head -n 1; }
fingerprint() {
    "$deja" analyze --json --fingerprint "$@" >profile.json
    value fingerprint profile.json
}
refused() { # refused STATUS WORDS FILE ARGUMENTS...: also checks that FILE does not exist
    local expected=$1 words=$2 file=$3
    shift 3
    "$deja" "$@" >out 2>err
    local status=$?
    [[ $status == "$expected" ]] || complain "$*: status $status, expected $expected"
    grep -q -- "$words" err || complain "$*: the message is: $(cat err)"
    [[ -z $file || ! -e $file ]] || complain "$*: left $file"
}

# A real memory trace survives conversion to every kind of stream.
trace=$source/examples/matmul.lackey.zst
direct=$(fingerprint "$trace")
"$deja" convert "$trace" -o m.deja 2>err || complain "convert failed: $(cat err)"
grep -q 'accesses, .* bytes per access, .* M accesses/s' err || complain "no summary line: $(cat err)"
[[ -n $direct && $(fingerprint m.deja) == "$direct" ]] || complain "the stream has another fingerprint"
"$deja" convert m.deja --level 19 -o again.deja 2>/dev/null
[[ $(fingerprint again.deja) == "$direct" ]] || complain "a second stream has another fingerprint"
(($(stat -c %s again.deja) < $(stat -c %s m.deja))) || complain "--level 19 is not smaller"
"$deja" convert - <m.deja -o - 2>/dev/null >piped.deja
[[ $(fingerprint - <piped.deja) == "$direct" ]] || complain "a stream through pipes has another fingerprint"
gzip -k m.deja
[[ $(fingerprint m.deja.gz) == "$direct" ]] || complain "a stream in gzip has another fingerprint"

# Notes and summaries.
"$deja" convert m.deja -o m.u64 2>err
grep -q 'note: format u64le drops size, site, kind' err || complain "no note: $(cat err)"
grep -q 'note: format u64le does not store the block size; read the trace with --block 64$' err || complain "no note: $(cat err)"
[[ $(fingerprint --block 64 m.u64) == "$direct" ]] || complain "u64le has another fingerprint"
printf '1 3 0 0\n2 9 0 1\n1 1 0 2\n' >a.lis
"$deja" convert a.lis -o a.csv 2>err
grep -q 'note: format csv does not store the block size; read the trace with --block 1$' err || complain "no note: $(cat err)"
[[ $(fingerprint --block 1 a.csv) == "$(fingerprint a.lis)" ]] || complain "csv has another fingerprint"
"$deja" convert a.lis -o a.txt 2>err
grep -q 'note: without sizes, an access counts only in its first block' err || complain "no note: $(cat err)"
"$deja" gen loop --keys 7 --sweeps 3 --json -o loop.txt >summary.json 2>err
[[ $(value accesses summary.json) == 21 && $(value format summary.json) == text ]] || complain "summary: $(cat summary.json)"
[[ ! -s err ]] || complain "--json still writes: $(cat err)"
[[ $(tr '\n' ' ' <loop.txt) == "0 1 2 3 4 5 6 0 1 2 3 4 5 6 0 1 2 3 4 5 6 " ]] || complain "loop.txt is wrong"
"$deja" gen loop --keys 2 --sweeps 1 --as csv -o - 2>/dev/null | cmp -s - <(printf 'key\n0\n1\n') || complain "csv to stdout"
"$deja" gen zipf --seed 5 -o a.u64 2>/dev/null
"$deja" gen zipf --seed 5 -o b.u64 2>/dev/null
cmp -s a.u64 b.u64 || complain "the same seed generates another trace"

# Invalid requests.
refused 2 "no output given" "" gen loop
refused 2 "cannot write format 'vscsi'" x gen loop --as vscsi -o x
refused 2 "kind of trace" x gen -o x
refused 2 "did you mean zipf" x gen zpf -o x
refused 2 "--exponent does not apply to kind loop" x gen loop --exponent 1 -o x
refused 2 "compressed" x.txt.gz gen loop -o x.txt.gz
refused 2 "level" x gen loop --level 99 -o x
refused 2 "access 0 " x gen uniform --scatter -o x --as u32le
refused 2 "no trace" x convert -o x
refused 3 "x.lackey" x convert x.lackey -o x
for kind in $("$deja" gen 2>&1 | sed 's/.* choose from //; s/,//g'); do
    "$deja" gen "$kind" -n 100 -o k.deja 2>/dev/null || complain "gen $kind failed"
    "$deja" help gen | shows "^  $kind " || complain "the help of gen does not explain $kind"
done

# Bad input: no output, or with --partial everything that is valid.
head -c $(($(stat -c %s m.deja) - 10)) m.deja >cut.deja
refused 3 "cut short" cut.out convert cut.deja -o cut.out
head -c 200 m.deja >head.deja
refused 3 "before its first access: .*; nothing could be read" head.out convert head.deja -o head.out
refused 3 "cut short" "" convert --partial cut.deja -o rescued.deja
[[ $(fingerprint rescued.deja) == "$direct" ]] || complain "--partial lost accesses"
refused 3 "cut short" "" analyze --json --fingerprint cut.deja
grep -q '"partial": true' out || complain "a cut stream is not marked partial"
grep -q "$direct" out || complain "a cut stream lost complete frames"

# A killed writer leaves a trace up to its last complete frame.
: >killed.deja
"$deja" gen uniform -n 1000000000 -o - >>killed.deja 2>/dev/null &
writer=$!
while (($(stat -c %s killed.deja) < 4000000)); do sleep 0.05; done
kill -KILL $writer
wait $writer 2>/dev/null
refused 3 "cut short" "" convert --json --partial killed.deja --as u64le -o /dev/null
(($(value accesses out) >= 1000000)) || complain "a killed writer left $(value accesses out) accesses"

# Ctrl-C: no file, or with --partial a complete one.
for partial in "" --partial; do
    # shellcheck disable=SC2086 # no argument if empty
    env --default-signal=INT "$deja" gen uniform -n 100000000000 $partial -o stopped.deja 2>err &
    writer=$!
    until [[ -n $(find . -name 'stopped.deja.*' -size +100k) ]]; do sleep 0.05; done
    kill -INT $writer
    wait $writer
    status=$?
    [[ $status == 130 ]] || complain "Ctrl-C: status $status"
    [[ -e stopped.deja ]] && kept=--partial || kept=
    [[ $kept == "$partial" ]] || complain "Ctrl-C with '$partial': the file exists only with '$kept'"
done
"$deja" convert stopped.deja --as u64le -o /dev/null 2>err || complain "the stopped stream is incomplete: $(cat err)"
[[ $(find . -name 'stopped.deja*' | wc -l) == 1 ]] || complain "a temporary file was left"
exit $bad
