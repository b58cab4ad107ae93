#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The man pages, the completion scripts and the schema in docs are what the program generates;
# every verb has a man page, and the shells can parse the scripts.
set -uo pipefail
deja=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bash "$source/docs/generate" "$deja" "$work" || exit 1
bad=0
for part in man completion; do
    diff -ru "$source/docs/$part" "$work/$part" || bad=1
done
for file in profile.schema.json size-a-cache.svg; do
    diff -u "$source/docs/$file" "$work/$file" || bad=1
done
((bad)) && echo "if the new text is right: ./dev golden --update"

verbs=0
for page in "$work"/man/deja-*.1; do
    verbs=$((verbs + 1))
    for section in NAME SYNOPSIS DESCRIPTION OPTIONS EXAMPLES; do
        grep -q "^\.SH $section$" "$page" || { echo "$page lacks $section"; bad=1; }
    done
done
((verbs >= 3)) || { echo "only $verbs verbs have a man page"; bad=1; }

for shell in zsh fish; do
    command -v $shell >/dev/null || continue
    script=$work/completion/_deja
    [[ $shell == fish ]] && script=$work/completion/deja.fish
    $shell -n "$script" || bad=1
done
exit $bad
