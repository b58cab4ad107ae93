#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# <deja/record.h> alone: every standard, both compilers, static or not, in two files of
# one program. ELF notes say what is recorded, each once.
set -euo pipefail
sources=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
flags="-Wall -Wextra -Wpedantic -Werror -I$sources/include"
failed=0 left_out=0
complain() {
    echo "FAILED: $*"
    failed=1
}

cat >data.c <<'C'
#include <deja/record.h>
#ifdef __cplusplus
extern "C"
#endif
int other(void);
static double a[10][10];
static volatile int v[3];
int main(void)
{
    int i, sides = 0;
    dj_record_data(a, sizeof a, sizeof a[0][0], "a");
    dj_record_data(v, sizeof v, sizeof *v, "v");
    dj_record_partial(a, &a[1][0]);
    for (i = 0; i < 10; i++) {
        dj_record_statement();
        if (i & 1)
            dj_record_read(a, &a[i][0]);
        else
            dj_record_write(a, &a[i][i]);
        dj_record_modify(v, &v[0]), dj_record_access(a, &a[0][sides++ % 10]);
    }
    dj_record_forget(a);
    return other();
}
C
cat >marks.c <<'C'
#include <deja/record.h>
#ifdef __cplusplus
extern "C"
#endif
int other(void);
int other(void)
{
    dj_region_begin("x");
    dj_thread_name("y");
    dj_region_end("x");
    return 0;
}
C

try() {
    # shellcheck disable=SC2086
    if ! "$@" $flags -o program 2>errors; then
        complain "$*: $(head -3 errors)"
    elif [[ -s errors ]]; then
        complain "$* prints: $(head -3 errors)"
    else
        ./program || complain "$*: the program exits with $?"
    fi
}

# is_installed COMPILER PACKAGE
is_installed() {
    command -v "$1" >/dev/null && return
    echo "left out: $1 is not installed; the package $2 has it"
    left_out=1
    return 1
}

for compiler in gcc clang; do
    is_installed "$compiler" "$compiler" || continue
    for standard in c89 c99 c11; do
        try "$compiler" "-std=$standard" -O2 data.c marks.c
        try "$compiler" "-std=$standard" -O0 -DDEJA_RECORD_OFF data.c marks.c
    done
    for kind in -static "-fPIE -pie" "-fno-pie -no-pie"; do
        # shellcheck disable=SC2086
        try "$compiler" -O0 $kind data.c marks.c
    done
done
for compiler in g++ clang++; do
    is_installed "$compiler" "${compiler/clang++/clang}" || continue
    for standard in c++98 c++11 c++20; do
        try "$compiler" "-std=$standard" -O1 -x c++ data.c marks.c
        try "$compiler" "-std=$standard" -O1 -DDEJA_RECORD_OFF -x c++ data.c marks.c
    done
done

# shellcheck disable=SC2086
gcc -O2 $flags -c data.c marks.c
# readelf prints type 2 under another name.
notes() { readelf -n "$1" | sed -n '/Deja/s/.*\(NT_ARCH\|0x00000003\).*/\1/p' | sort | xargs; }
[[ $(notes data.o) == "0x00000003 NT_ARCH" ]] || complain "data.o contains the notes $(notes data.o)"
[[ $(notes marks.o) == 0x00000003 ]] || complain "marks.o contains the notes $(notes marks.o)"
# shellcheck disable=SC2086
gcc -O2 -DDEJA_RECORD_OFF $flags -c marks.c
[[ $(nm marks.o | wc -l) == 1 ]] || complain "DEJA_RECORD_OFF leaves $(nm marks.o)"
((failed == 0 && left_out)) && exit 77
exit $failed
