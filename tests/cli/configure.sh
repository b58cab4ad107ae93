#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# cmake/configure runs CMake again if a compiler appears or disappears, and only then.
#   configure.sh DEJA SOURCE
set -uo pipefail
source=$2
for name in cmake ninja; do
    command -v "$name" >/dev/null || {
        echo "skipped: $name is not installed; the package ${name/ninja/ninja-build} has it"
        exit 77
    }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir cmake
cp "$source/cmake/configure" cmake
cat >CMakePresets.json <<'END_OF_FILE'
{"version": 6, "configurePresets": [
  {"name": "trial", "generator": "Ninja", "binaryDir": "${sourceDir}/build/${presetName}"}]}
END_OF_FILE
cat >CMakeLists.txt <<'END_OF_FILE'
cmake_minimum_required(VERSION 3.25)
project(trial NONE)
find_program(TRIAL NAMES $ENV{CUDACXX})
file(APPEND ${PROJECT_SOURCE_DIR}/log.txt "${TRIAL}\n")
END_OF_FILE
export CUDACXX=$work/compiler
unset CC CXX CUDA_PATH CUDA_HOME

bad=0
expect() { # expect WHAT FOUND...: what CMake has found so far, one word per run
    local what=$1 found
    shift
    bash cmake/configure trial || bad=1
    found=$(xargs <log.txt)
    [[ $found == "$*" ]] || { echo "$what: CMake found $found, expected $*" && bad=1; }
}
install_compiler() { printf '#!/bin/sh\n' >compiler && chmod +x compiler; }

expect "without the compiler" TRIAL-NOTFOUND
expect "unchanged" TRIAL-NOTFOUND
install_compiler
expect "the compiler was installed" TRIAL-NOTFOUND "$work/compiler"
expect "unchanged" TRIAL-NOTFOUND "$work/compiler"
rm compiler
expect "the compiler was removed" TRIAL-NOTFOUND "$work/compiler" TRIAL-NOTFOUND
rm build/trial/build.ninja
expect "CMake's output was removed" TRIAL-NOTFOUND "$work/compiler" TRIAL-NOTFOUND TRIAL-NOTFOUND
echo 'message(FATAL_ERROR "no more")' >>CMakeLists.txt
install_compiler
if bash cmake/configure trial 2>errors || ! grep -q "no more" errors; then
    echo "a failure is not reported: $(cat errors)"
    bad=1
fi
[[ ! -e build/trial/installed ]] || { echo "a failure counts as a success" && bad=1; }
exit "$bad"
