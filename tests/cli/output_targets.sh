#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What -o does with every kind of target: permissions, owners, links, special files, a full disk, a folder
# without permission. As root also with a second user; the rest works for any user.
#   output_targets.sh DEJA SOURCES BUILD
set -uo pipefail
deja=$(realpath "$1")
# shellcheck source=tests/support/shows
source "$2/tests/support/shows"
work=$(mktemp -d)
mounted=
# shellcheck disable=SC2317 # called by a trap
finish() {
    [[ -z $mounted ]] || umount "$mounted"
    chmod -R u+rwx "$work"
    rm -rf "$work"
}
trap finish EXIT
bad=0
complain() {
    echo "$*"
    bad=1
}
# Runs the command, which must end with STATUS and a message with WORDS; '' for none.
expect() { # expect STATUS WORDS COMMAND…
    local wanted=$1 words=$2 status
    shift 2
    timeout 20 "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    [[ $status == "$wanted" ]] || complain "$*: status $status, expected $wanted: $(cat "$work/err")"
    if [[ -n $words ]]; then
        [[ $(cat "$work/err") == "deja: "*"$words"* ]] || complain "$*: the message is: $(cat "$work/err")"
        [[ $(wc -l <"$work/err") == 1 ]] || complain "$*: not one line: $(cat "$work/err")"
    fi
}
is_result() { # is_result FILE…: written by "deja info"
    local file
    for file; do
        grep -q Engines "$file" || complain "$file is not the result: $(head -c 100 "$file")"
    done
}
is_old() { # is_old FILE…
    local file
    for file; do
        [[ $(cat "$file") == old ]] || complain "$file was changed"
    done
}
mode() { stat -c %a "$1"; }
old() { # old FILE [MODE]
    rm -f "$1"
    echo old >"$1"
    chmod "${2:-644}" "$1"
}
no_leftovers() { # no_leftovers WHAT
    [[ -z $(find "$work" -name '*.[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]') ]] ||
        complain "$1: a temporary file remains"
}
# A trace that is not there: whatever rejects the target first has checked it before any work.
early() { # early STATUS WORDS TARGET
    expect "$1" "$2" "$deja" analyze "$work/no-trace" -o "$3"
}

# Permissions.
for from in 4755:755 2755:755 1644:644 6777:777 600:600 444:444 640:640 0:0; do
    old "$work/f" "${from%:*}"
    expect 0 "" "$deja" info -o "$work/f"
    [[ $(mode "$work/f") == "${from#*:}" ]] || complain "mode ${from%:*} became $(mode "$work/f")"
done
# With an access-control list, the permissions of the group are the list's mask: here the group may do nothing.
old "$work/f"
if python3 - "$work/f" <<'END'; then
import os, struct, sys
entries = [(1, 6, -1), (2, 6, 1234), (4, 0, -1), (16, 6, -1), (32, 0, -1)]
data = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", tag, rights, who & 0xffffffff) for tag, rights, who in entries)
try:
    os.setxattr(sys.argv[1], "system.posix_acl_access", data)
except OSError as error:
    print(f"left out: access-control lists ({error.strerror})")
    sys.exit(1)
END
    expect 0 "" "$deja" info -o "$work/f"
    [[ $(mode "$work/f") == 600 ]] || complain "a list of rights became mode $(mode "$work/f")"
fi
rm -f "$work/f"
(umask 027 && "$deja" info -o "$work/f")
[[ $(mode "$work/f") == 640 ]] || complain "a new file ignores the umask"
old "$work/f" 600
(umask 0 && "$deja" info -o "$work/f")
[[ $(mode "$work/f") == 600 ]] || complain "the umask widened the permissions"

# Symbolic links: followed and kept.
mkdir "$work/other"
old "$work/other/target"
ln -s other/target "$work/link"
ln -s link "$work/second"
expect 0 "" "$deja" info -o "$work/second"
[[ -L $work/link && -L $work/second ]] || complain "a link was replaced"
is_result "$work/other/target"
ln -s other/fresh "$work/dangling"
expect 0 "" "$deja" info -o "$work/dangling"
[[ -L $work/dangling && -f $work/other/fresh ]] || complain "a dangling link was not followed"
ln -s "$work/other" "$work/absolute"
ln -s absolute/../other "$work/relative"
(cd "$work/other" && expect 0 "" "$deja" info -o ../relative//.././other/./relative.txt)
is_result "$work/other/relative.txt"
(cd "$work/other" && "$deja" info -o plain.txt && "$deja" info -o ./plain.txt) || complain "a relative name failed"
(cd / && expect 0 "" "$deja" info -o "/${work#/}/absolute/from_root.txt")
is_result "$work/other/plain.txt" "$work/other/from_root.txt"
expect 0 "" "$deja" info -o "/proc/self/root$work/other/magic.txt"
is_result "$work/other/magic.txt"
ln -s nowhere/fresh "$work/lost"
early 4 "No such file or directory" "$work/lost"
ln -s loop "$work/loop"
early 4 "Too many levels of symbolic links" "$work/loop"
ln -s other "$work/to_folder"
early 4 "Is a directory" "$work/to_folder"

# Hard links: the other name keeps the old content.
old "$work/one"
ln "$work/one" "$work/two"
expect 0 "" "$deja" info -o "$work/one"
is_result "$work/one"
is_old "$work/two"

# What cannot be written is rejected before the work; what can be is not replaced.
early 2 "name of the output file is empty" ""
early 4 "/proc/x" /proc/x
early 4 "Is a directory" "$work"
early 4 "Is a directory" "$work/other/"
early 4 "Is a directory" /
early 4 "Is a directory" "$work/other/.."
early 4 "No such file or directory" "$work/nowhere/x"
early 4 "Not a directory" "$work/one/x"
early 4 "File name too long" "$work/$(printf 'x%.0s' {1..300})"
expect 0 "" "$deja" info -o "$work/$(printf 'x%.0s' {1..255})"
if command -v python3 >/dev/null; then
    python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$work/socket"
    early 4 "it is a socket" "$work/socket"
    [[ -S $work/socket ]] || complain "a socket was replaced"
else
    echo "left out: sockets; the package python3 has what creates one"
fi
before=$(stat -c %F:%a /dev/null)
expect 0 "" "$deja" info -o /dev/null
[[ $(stat -c %F:%a /dev/null) == "$before" ]] || complain "/dev/null was changed"
expect 4 "No space left on device" "$deja" info -o /dev/full
mkfifo "$work/pipe"
cat "$work/pipe" >"$work/piped" &
reader=$!
expect 0 "" "$deja" info -o "$work/pipe"
wait $reader
is_result "$work/piped"
[[ -p $work/pipe ]] || complain "a pipe was replaced"

# Descriptors of the caller are used as they are: neither replaced nor written from the start.
echo first >"$work/log"
"$deja" info -o /dev/stdout >>"$work/log" || complain "-o /dev/stdout failed"
[[ $(head -n 1 "$work/log") == first ]] || complain "-o /dev/stdout overwrote a log"
is_result "$work/log"
"$deja" info -o /dev/stdout | shows Engines || complain "-o /dev/stdout did not write to a pipe"
{ "$deja" info -o /dev/fd/7 && echo last >&7; } 7>"$work/log"
is_result "$work/log"
[[ $(tail -n 1 "$work/log") == last ]] || complain "-o /dev/fd/7 replaced a file"
(exec 7<"$work/log" && early 4 "Bad file descriptor" /dev/fd/7)

# A disk that fills up, with the signal that the shell would let through.
old "$work/f"
expect 4 "File too large" bash -c "ulimit -f 1; exec \"\$0\" help --completion zsh -o \"$work/f\"" "$deja"
is_old "$work/f"

# The other writers.
expect 0 "" "$deja" gen loop --keys 9 --accesses 99 -o "$work/gen.deja"
old "$work/g.txt" 4700
expect 0 "" "$deja" convert "$work/gen.deja" -o "$work/g.txt"
[[ $(mode "$work/g.txt") == 700 ]] || complain "convert: mode $(mode "$work/g.txt")"
for verb in "convert $work/gen.deja" "gen loop" "record true" "mrc $work/gen.deja"; do
    # shellcheck disable=SC2086 # the words of the command
    set -- $verb
    failed=4
    [[ $1 != record ]] || failed=125 # as for every verb that runs a program
    expect $failed "/proc/x" "$deja" "$1" -o /proc/x "${@:2}"
    expect 2 "name of the output file is empty" "$deja" "$1" -o "" "${@:2}"
done
old "$work/r.deja" 4700
ln "$work/r.deja" "$work/r.other"
if "$deja" record -o "$work/r.deja" -- /bin/true 2>"$work/err"; then
    [[ $(mode "$work/r.deja") == 700 ]] || complain "record: mode $(mode "$work/r.deja")"
    is_old "$work/r.other"
else
    echo "left out: deja record, which says: $(cat "$work/err")"
fi
no_leftovers "targets of the caller"

if [[ $EUID != 0 ]]; then
    mkdir "$work/closed"
    old "$work/closed/f"
    chmod 555 "$work/closed"
    early 4 "no file can be created in its folder (Permission denied)" "$work/closed/f"
    is_old "$work/closed/f"
    echo "left out: targets of a second user, and a full disk; they need root"
    exit $bad
fi

# A second user, in a folder that the first one owns and shares.
other=65534
cp "$deja" "$work/deja"
chmod 755 "$work" "$work/deja"
# shellcheck disable=SC2317 # called in another shell
as_other() { setpriv --reuid=$other --regid=$other --clear-groups "$@"; }
if ! as_other "$work/deja" --version >/dev/null 2>&1; then
    echo "left out: a second user; setpriv cannot start the program as user $other"
    exit $bad
fi
# shellcheck disable=SC2317
as_other_run() { as_other "$work/deja" analyze "$work/no-trace" -o "$1"; }
export -f as_other as_other_run
export other work
# By the second user, before the work.
refused() { # refused WORDS TARGET
    expect 4 "$1" bash -c "as_other_run \"\$0\"" "$2"
}
mkdir "$work/shared" "$work/sticky" "$work/readonly"
chmod 777 "$work/shared"
chmod 1777 "$work/sticky"

old "$work/shared/root" 4755
refused "belongs to user 0, and a new file would belong to user $other" "$work/shared/root"
is_old "$work/shared/root"
[[ $(stat -c %u:%a "$work/shared/root") == 0:4755 ]] || complain "a file of root was changed"
old "$work/shared/group" 664
chown $other:0 "$work/shared/group"
refused "belongs to group 0, and a new file would belong to group $other" "$work/shared/group"
old "$work/readonly/f" 666
refused "no file can be created in its folder (Permission denied)" "$work/readonly/f"
is_old "$work/readonly/f"

# Root replaces a file of another user; its owner, group and permissions stay.
old "$work/shared/theirs" 6640
chown $other:12 "$work/shared/theirs"
chmod 6640 "$work/shared/theirs"
expect 0 "" "$deja" info -o "$work/shared/theirs"
[[ $(stat -c %u:%g:%a "$work/shared/theirs") == "$other:12:640" ]] ||
    complain "owner and mode became $(stat -c %u:%g:%a "$work/shared/theirs")"

# In a folder where everyone may create files, nothing of another user is followed or replaced.
old "$work/precious"
ln -s ../precious "$work/sticky/link"
chown -h $other "$work/sticky/link"
early 4 "belongs to another user ($other)" "$work/sticky/link"
is_old "$work/precious"
old "$work/sticky/file" 666
chown $other "$work/sticky/file"
early 4 "belongs to another user ($other)" "$work/sticky/file"
mkfifo "$work/sticky/pipe"
chown $other "$work/sticky/pipe"
early 4 "belongs to another user ($other)" "$work/sticky/pipe"
ln -s sticky/link "$work/way"
early 4 "belongs to another user ($other)" "$work/way"
mkdir "$work/folder"
ln -s ../folder "$work/sticky/folder"
chown -h $other "$work/sticky/folder"
early 4 "sticky/folder belongs to another user ($other)" "$work/sticky/folder/x"
ln -s sticky/folder "$work/around"
early 4 "sticky/folder belongs to another user ($other)" "$work/around/../around/x"
ln -s ../precious "$work/sticky/own"
expect 0 "" "$deja" info -o "$work/sticky/own"
is_result "$work/precious"

mkdir "$work/disk"
if mount -t tmpfs -o size=16k none "$work/disk" 2>/dev/null; then
    mounted=$work/disk
    old "$work/disk/f"
    expect 4 "No space left on device" "$deja" help --completion zsh -o "$work/disk/f"
    is_old "$work/disk/f"
    [[ $(find "$work/disk" -type f | wc -l) == 1 ]] || complain "a full disk keeps a temporary file"
    mount -o remount,ro "$work/disk"
    early 4 "Read-only file system" "$work/disk/f"
else
    echo "left out: a full and a read-only disk; this system allows no mount"
fi
no_leftovers "targets of others"
exit $bad
