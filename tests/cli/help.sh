#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `deja VERB --help` fits on two screens of 24 lines and 80 columns, `--help-all` and
# `deja help engines` together explain every option, and typing errors get a suggestion.
set -uo pipefail
deja=$1
bad=0
fail() {
    echo "$*"
    bad=1
}

options() { grep -oE '^ {2}(-., | {4})--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u; }

engines=$("$deja" help engines | options)
[[ $engines == *--fast-simd* && $engines == *--threads* ]] || fail "help engines lacks options of the engines"
verbs=$("$deja" help | sed -n '/^Verbs:/,/^$/s/^  \([a-z+-]*\) .*/\1/p')
for verb in $verbs; do
    short=$("$deja" "$verb" --help)
    full=$("$deja" "$verb" --help-all)
    lines=$(wc -l <<<"$short")
    ((lines <= 48)) || fail "deja $verb --help has $lines lines"
    wide=$(LC_ALL=C.UTF-8 grep -E '^.{81}' <<<"$short"$'\n'"$full" | grep -v '^  deja\|^  valgrind')
    [[ -z $wide ]] || fail "deja $verb --help is wider than 80 columns: $wide"
    [[ $short == *"deja $verb --help-all"* ]] || fail "deja $verb --help does not mention --help-all"
    missing=$(comm -23 <(options <<<"$short") <(options <<<"$full"))
    [[ -z $missing ]] || fail "deja $verb --help-all lacks $missing"
    explained=$(printf '%s\n%s\n' "$(options <<<"$full")" "$engines" --help --help-all | sort -u)
    accepted=$("$deja" help --completion bash | sed -n "s/^    $verb) kind.*options='\(.*\)' ;;$/\1/p" | tr -s ' ' '\n' | sed '/^$/d' | sort -u)
    [[ -n $accepted ]] || fail "no options of $verb in the completion"
    missing=$(comm -23 <(echo "$accepted") <(echo "$explained"))
    [[ -z $missing ]] || fail "no help explains these options of $verb: $missing"
    [[ $full != *--fast-simd* ]] || fail "deja $verb --help-all lists options of engines"
done
for verb in run mrc analyze; do
    [[ $("$deja" $verb --help) == *"deja help engines"* ]] || fail "deja $verb --help does not mention the engines"
done
diff <("$deja" mrc --help-all) <("$deja" help --all mrc) || bad=1

suggests() { # suggests TEXT ARGUMENTS...
    local text=$1 message
    shift
    message=$("$deja" "$@" 2>&1)
    (($? == 2)) || fail "deja $* does not exit with status 2"
    [[ $message == *"$text"* ]] || fail "deja $*: '$message' lacks '$text'"
}
suggests "did you mean 'deja help analyze'?" help anlyze
suggests "did you mean 'deja help engines'?" help engine
suggests "did you mean 'deja report'?" repotr
suggests "did you mean --engine?" mrc --enigne fast x
suggests "did you mean zipf?" gen zpif
suggests "--help-all lists all" mrc --zzzzzzzz x
suggests "is not one of text, csv" mrc --export txt x
exit $bad
