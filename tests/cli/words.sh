#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The checks of prose detect retired words, long sentences and misspelled words.
set -uo pipefail
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
expect() { # expect STATUS TEXT CHECK: the output of cmake/CHECK on $work/tree
    local got=0 output
    output=$(bash "$source/cmake/$3" "$work/tree" 2>&1) || got=1
    if [[ $got != "$1" || $output != *"$2"* ]]; then
        echo "expected status $1 and '$2' from $3, got $got:"
        echo "$output"
        bad=1
    fi
}
tree() { # tree FILE TEXT: a folder with this one file
    rm -rf "$work/tree"
    mkdir -p "$work/tree/$(dirname "$1")"
    printf '%s\n' "$2" >"$work/tree/$1"
}

tree a.c "// A worker pool, screwed down."
expect 0 "" check-words
tree a.c "// The crew."
expect 1 "a.c:1: \"crew\" is retired" check-words
tree a.c "// The CREW."
expect 1 "a.c:1:" check-words
tree a.c "int dj_crew_start(void);"
expect 1 "a.c:1:" check-words
tree a.c "puts(\"no crew\");"
expect 1 "a.c:1:" check-words
tree "crew_pool.c" "int x;"
expect 1 "crew_pool.c: \"crew\"" check-words
tree a.md $'Until the block\nis\ngone.'
expect 1 "a.md:2: \"is gone\"" check-words
tree a.c "// Apply apart from that, K blocks apart; nothing tells the two threads apart."
expect 0 "" check-words
tree a.c "// They are kept apart."
expect 1 "\"apart\" is retired" check-words
printf '\0%s' "crew" >"$work/tree/a.c"
expect 0 "" check-words

forty=$(printf 'Word %.0s' {1..40})
tree a.md "${forty% }. ${forty% }."
expect 0 "" check-sentences
tree a.md "A heading"$'\n\n'"${forty}more."
expect 1 "a.md:3: 41 words in a sentence" check-sentences
tree a.md "- One. ${forty}"$'\n  more.'
expect 1 "a.md:1: 41 words" check-sentences
tree a.md "| a | ${forty}more |"
expect 1 "a.md:1: 41 words" check-sentences
tree a.md "${forty}"$'\n'"- ${forty}"$'\n'"# ${forty}more"$'\n'"| ${forty} | ${forty} |"
expect 0 "" check-sentences
tree a.md '```'$'\n'"${forty}more"$'\n''```'$'\n\n'"    ${forty}more"
expect 0 "" check-sentences
tree a.md "${forty% } [a](b.md) \`c d e\`: ok."
expect 1 "43 words" check-sentences

if command -v codespell >/dev/null; then
    tree a.c "// the trough of a histogram"
    expect 0 "" check-spelling
    tree a.c "// $(tr x i <<<recxeve)" # so that this file has no mistake
    expect 1 "receive" check-spelling
fi
exit $bad
