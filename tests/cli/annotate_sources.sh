#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Which files deja annotate reads: a profile may name any, but only those below the current
# folder, a folder that the user names, and the headers of the system are shown.
#   annotate_sources.sh DEJA SOURCES BUILD
set -uo pipefail
deja=$(realpath "$1") source=$(realpath "$2") build=$(realpath "$3")
# shellcheck source=tests/support/shows
source "$2/tests/support/shows"
work=$(realpath "$(mktemp -d)")
trap 'rm -rf "$work"' EXIT
export COLUMNS=200
bad=0
complain() {
    echo "$*"
    bad=1
}
mkdir -p "$work/here/sub" "$work/here/.hidden" "$work/elsewhere"
cd "$work/here" || exit 1
lines() { # lines FILE: 30 lines that a listing shows
    for i in {1..30}; do echo "SECRET of line $i"; done >"$1"
}
for file in "$work/elsewhere/grid.c" "$work/here/grid.c" sub/grid.c .hidden/grid.c sub/.grid.c; do
    lines "$file"
    touch -d '1 hour ago' "$file"
done
name() { # name PATH: makes a profile that names it
    local escaped=${1//\//\\/}
    sed "s/\\/src\\/grid.c/$escaped/" "$source/tests/support/grid/profile.json" >"$work/profile.json"
    touch -d '30 minutes ago' "$work/profile.json"
}
# Prints the profile with the options given; the source must be shown, or not, and then the file be named.
shown() { # shown PATH OPTIONS…
    name "$1"
    timeout 20 "$deja" annotate "${@:2}" "$work/profile.json" >"$work/out" 2>&1 || complain "$*: status $?: $(cat "$work/out")"
    grep -q "SECRET of line 10$" "$work/out" || complain "$*: not shown: $(cat "$work/out")"
}
advice="; pass its folder with --source"
kept() { # kept WHY PATH OPTIONS…
    name "$2"
    timeout 20 "$deja" annotate "${@:3}" "$work/profile.json" >"$work/out" 2>&1 || complain "$*: status $?: $(cat "$work/out")"
    ! grep -q -e SECRET -e '^root:' -e 'root:.*:' "$work/out" || complain "$*: shown: $(cat "$work/out")"
    tr '\n' ' ' <"$work/out" | shows "NO SOURCE [^;]*$1[^;]*$advice" || complain "$*: says $(cat "$work/out")"
    timeout 20 "$deja" annotate --json "${@:3}" "$work/profile.json" >"$work/out" 2>&1
    ! grep -q -e SECRET -e 'root:.*:' "$work/out" || complain "$*: shown in JSON"
}
outside="it is not below the current folder"

kept "$outside" /etc/passwd
kept "$outside" /etc/shadow
kept "$outside" "$work/elsewhere/grid.c"
kept "$outside" ../elsewhere/grid.c
kept "$outside" "$work/here/../elsewhere/grid.c"
shown "$work/here/grid.c"
shown "$work/here/sub/grid.c"
shown sub/grid.c
shown ./sub/../grid.c
kept "hidden" "$work/here/.hidden/grid.c"
kept "hidden" sub/.grid.c
shown .hidden/grid.c --source .
shown "$work/elsewhere/grid.c" --source "$work/elsewhere"
shown /moved/elsewhere/grid.c --source "$work"
# Several folders: each may be read, and each is searched.
shown "$work/elsewhere/grid.c" --source "sub:$work/elsewhere"
shown "$work/elsewhere/grid.c" --source ":$work/elsewhere/:/missing::"
shown /moved/here/.hidden/grid.c --source "/missing:$work"
kept "$outside" /etc/passwd --source "sub:$work/elsewhere:"
kept "$outside" /etc/passwd --source ":"

# A folder whose name begins like a permitted one is another folder.
mkdir "$work/here2"
lines "$work/here2/grid.c"
kept "$outside" "$work/here2/grid.c"
kept "$outside" /gone/../here2/grid.c --source "$work/elsewhere"

# Links that lead outside are not followed; those that lead inside are.
ln -s ../../elsewhere/grid.c sub/link.c
ln -s "$work/elsewhere" sub/folder
ln -s ../grid.c sub/inside.c
kept "$outside" "$work/here/sub/link.c"
kept "$outside" sub/folder/grid.c
kept "$outside" "$work/x/sub/link.c" --source .
shown sub/inside.c

# A file that the user names, and that exists, is read wherever it is.
name "$work/elsewhere/grid.c"
"$deja" annotate "$work/profile.json" "$work/elsewhere/grid.c" | shows "SECRET of line 10" ||
    complain "a named file is not shown"
name /etc/passwd
"$deja" annotate "$work/profile.json" passwd | shows "NO SOURCE /etc/passwd: $outside" ||
    complain "the end of a name is enough to read any file"

# Only regular files, and not without limit. There, --source would not help.
mkfifo pipe.c
advice=" share accesses"
kept "not a regular file" pipe.c
kept "not a regular file" /dev/zero
kept "not a regular file" /dev/tty
kept "not a regular file" sub
truncate -s 33M large.c
kept "larger than 32 MiB, the most that is read" large.c
kept "larger than 32 MiB" large.c --source .
advice="; pass its folder with --source"
kept "No such file or directory" missing.c
# Lines of any length, and more lines than a listing needs.
name long.c
{
    head -c 20000000 /dev/zero | tr '\0' x
    echo
    head -c 10000000 /dev/zero | tr '\0' '\n'
} >long.c
touch -d '1 hour ago' long.c
# Sanitizers reserve terabytes of address space.
most=400000
! grep -qE 'CMAKE_C_FLAGS:.*-fsanitize=' "$build/CMakeCache.txt" || most=unlimited
(ulimit -v $most && timeout 20 "$deja" annotate "$work/profile.json" >"$work/out" 2>&1) ||
    complain "a long file: status $?: $(head -c 300 "$work/out")"
[[ $(wc -c <"$work/out") -lt 100000 ]] || complain "a long line is printed whole"

if [[ -r /usr/include/stdio.h ]]; then
    name /usr/include/stdio.h
    "$deja" annotate "$work/profile.json" >"$work/out"
    ! grep -q "NO SOURCE" "$work/out" || complain "a header is not shown: $(cat "$work/out")"
fi
cd / || exit 1
kept "the current folder is /" "$work/here/grid.c"
kept "the current folder is /" /etc/passwd
exit $bad
