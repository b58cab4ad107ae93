#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# CUDA compilers that are missing, too old or something else: CMake prints the reason and does not fail.
#   cuda.sh DEJA SOURCE
set -uo pipefail
source=$2
command -v cmake >/dev/null || {
    echo "skipped: cmake is not installed"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset CUDA_HOME CUDA_PATH
printf 'cmake_minimum_required(VERSION 3.25)\nproject(trial NONE)\ninclude(%s/cmake/cuda.cmake)\n' "$source" >CMakeLists.txt

# compiler NAME TEXT: prints TEXT when asked for its version, and compiles nothing.
compiler() {
    # shellcheck disable=SC2016 # $1 belongs to the script
    printf '#!/bin/sh\n[ "$1" = --version ] && echo "%s"\nexit 1\n' "$2" >"$1"
    chmod +x "$1"
}
compiler old 'Cuda compilation tools, release 11.8, V11.8.89'
compiler other 'gcc (Debian 12.2.0-14) 12.2.0'
compiler broken 'Cuda compilation tools, release 12.4, V12.4.99'
echo >libcudart_static.a

bad=0
# expect TEXT ARGUMENT…: CMake continues without GPUs, for this reason.
expect() {
    local text=$1
    shift
    rm -rf build
    cmake -S . -B build "$@" >log 2>&1 || { cat log && bad=1; }
    grep -qxF -- "-- without GPUs: $text" log || { echo "$*: $(grep GPUs log), expected: $text" && bad=1; }
}

expect "it was built with DEJA_CUDA=OFF" -DDEJA_CUDA=OFF
CUDACXX=$work/old expect "it was built with CUDA 11.8, and needs 12 or newer"
CUDACXX=$work/other expect "$work/other did not tell its version when it was built"
CUDACXX=$work/missing expect "no $work/missing was found when it was built"
CUDACXX=$work/broken expect "$work/broken did not work with none when it was built" \
    -DDEJA_CUDART="$work/libcudart_static.a" -DCMAKE_CXX_COMPILER=none
exit "$bad"
