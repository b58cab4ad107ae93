#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A full disk: a message and a nonzero status, even if only the last flush fails; -o leaves no
# incomplete file. A closed pipe: only a status, since whoever closed it has seen enough.
set -uo pipefail
deja=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trace=$source/examples/matmul.lackey.zst
bad=0
complain() {
    echo "$*"
    bad=1
}
expect() { # expect STATUS WORDS: checks the command that has just written $work/err
    [[ $1 == "$status" ]] || complain "$name: status $status, expected $1"
    [[ $(cat "$work/err") == "deja: "*"$2"* ]] || complain "$name: the message is: $(cat "$work/err")"
}

for verb in "--version" "help" "info --json" "analyze $trace" "analyze --json $trace" "mrc --json $trace" \
    "stats --json $trace" "gen loop --keys 9 --accesses 99 --as text -o -" "gen zipf --accesses 1000000 -o -" \
    "convert $trace -o -"; do
    [[ $verb == -* || -n $("$deja" help "${verb%% *}" 2>/dev/null) ]] || continue
    name="$verb > /dev/full"
    # shellcheck disable=SC2086 # the words of the command
    "$deja" $verb >/dev/full 2>"$work/err"
    status=$?
    expect 4 "No space left on device"

    name="$verb | true"
    # The reader has exited before the first byte is written.
    # shellcheck disable=SC2086
    { sleep 0.3; "$deja" $verb 2>"$work/err"; echo $? >"$work/status"; } | true
    status=$(cat "$work/status")
    [[ $status == 141 ]] || complain "$name: status $status, expected 141, that of SIGPIPE"
    [[ ! -s $work/err ]] || complain "$name: the message is: $(cat "$work/err")"
done

# The first line is all that is wanted.
name="generated | head -1"
"$deja" gen loop --keys 9 --accesses 9999999 --as text -o - 2>"$work/err" | head -n 1 >"$work/first"
[[ $(cat "$work/first") == 0 && ! -s $work/err ]] || complain "$name: $(cat "$work/first" "$work/err")"

name="-o /dev/full"
"$deja" info -o /dev/full 2>"$work/err"
status=$?
expect 4 "/dev/full: No space left on device"

name="> closed"
"$deja" info 2>"$work/err" >&-
status=$?
expect 4 "Bad file descriptor"
# If standard error is closed, the next opened file must not get its descriptor and the message.
"$deja" info warp -o "$work/fresh" 2>&-
[[ $? == 2 && ! -e $work/fresh ]] || complain "a closed standard error changed the outcome"
"$deja" info -o "$work/fresh" 2>&- || complain "-o failed without a standard error"

echo before >"$work/old"
chmod 640 "$work/old"
ln -s old "$work/link"
"$deja" info -o "$work/link" || complain "-o to a link failed"
[[ -L $work/link ]] || complain "-o replaced a symbolic link"
[[ $(stat -c %a "$work/old") == 640 ]] || complain "-o changed the permissions of a file"
grep -q Engines "$work/old" || complain "-o did not write"
(umask 027 && "$deja" info -o "$work/new")
[[ $(stat -c %a "$work/new") == 640 ]] || complain "-o ignored the umask"

# A file size limit simulates a disk that fills up halfway.
name="-o with a limit"
echo before >"$work/old"
(trap '' XFSZ; ulimit -f 1; exec "$deja" help --completion zsh -o "$work/old") 2>"$work/err"
status=$?
expect 4 "File too large"
[[ $(cat "$work/old") == before ]] || complain "-o damaged the old file"
[[ $(find "$work" -name 'old*' | wc -l) == 1 ]] || complain "-o left a temporary file"
exit $bad
