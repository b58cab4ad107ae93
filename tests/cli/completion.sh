#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The completion scripts, executed by their shells: options with choices complete
# to these choices, and file names appear only where a file is expected.
set -uo pipefail
deja=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for shell in bash zsh fish; do
    "$deja" help --completion $shell >"$work/deja.$shell" || exit 1
done
mkdir "$work/here" "$work/here/folder" && touch "$work/here/data.trace" "$work/here/fast.file"
cd "$work/here" || exit 1
bad=0

# Each line: the words typed so far, a '|', what must be offered, a '|', what must not be.
# The last word is what is being completed; it may be empty.
cases=$work/cases
cat >"$cases" <<'CASES'
deja an|analyze|run
deja d|data.trace|
deja run --engine |auto fast parallel tree|data.trace fast.file
deja run --engine fa|fast|fast.file
deja analyze --format |lackey deja|data.trace
deja mrc --export |text csv markdown svg|callgrind data.trace
deja report --export |callgrind folded|data.trace
deja run --by |object function loop line context thread all none|data.trace
deja run --by object,l|object,loop object,line|object,object
deja run --by object,|object,line|object,object
deja report --by |object all|none
deja run --tool |auto native valgrind annotations|data.trace
deja mrc --each |thread device file|data.trace
deja stats --only |reads writes|data.trace
deja gen |zipf loop stencil|data.trace
deja gen zipf --as |deja text csv u64le|data.trace
deja info |formats engines machine|data.trace
deja help |engines analyze run|data.trace
deja help --completion |bash zsh fish|data.trace
deja mrc --sizes |all log:1|data.trace
deja analyze --bins l|log2 linear:1000|exact
deja mrc --ways ||data.trace
deja analyze --js|--json|data.trace
deja analyze --help|--help --help-all|
deja cc --w|--with|
deja cc -O2 d|data.trace|
deja analyze d|data.trace|
deja analyze --json -o d|data.trace|
deja data.trace --eng|--engine|
deja annotate --source f|folder|fast.file
deja run -- ech|echo|
deja run -- echo d|data.trace|
deja spatial -- ech|echo|
deja run --top 3 -- ech|echo|
CASES

# check SHELL: compares the offers in $work/SHELL.N with case N.
check() {
    local shell=$1 number=0 words wanted unwanted word offers
    while IFS='|' read -r words wanted unwanted; do
        number=$((number + 1))
        offers=" $(tr '\n' ' ' <"$work/$shell.$number") "
        for word in $wanted; do
            [[ $offers == *" $word "* || $offers == *" $word/ "* ]] || {
                echo "$shell: '$words' does not offer $word:$offers"
                bad=1
            }
        done
        for word in $unwanted; do
            [[ $offers != *" $word "* ]] || {
                echo "$shell: '$words' offers $word:$offers"
                bad=1
            }
        done
    done <"$cases"
}

# shellcheck source=/dev/null
source "$work/deja.bash"
number=0
while IFS='|' read -r words _; do
    number=$((number + 1))
    read -r -a COMP_WORDS <<<"$words"
    [[ $words != *' ' ]] || COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _deja
    printf '%s\n' "${COMPREPLY[@]}" >"$work/bash.$number"
done <"$cases"
check bash

# bash divides --engine=fa into three words, unless the user changes COMP_WORDBREAKS.
for form in '--engine = fa' '--engine=fa'; do
    read -r -a COMP_WORDS <<<"deja run $form"
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _deja
    [[ ${COMPREPLY[*]} == fast || ${COMPREPLY[*]} == --engine=fast ]] || {
        echo "bash: 'deja run $form' offers ${COMPREPLY[*]}"
        bad=1
    }
done

if command -v fish >/dev/null; then
    number=0
    while IFS='|' read -r words _; do
        number=$((number + 1))
        HOME=$work fish --no-config -c "source $work/deja.fish; complete -C '$words'" 2>&1 </dev/null |
            cut -f 1 >"$work/fish.$number"
    done <"$cases"
    check fish
else
    echo "left out: completion for fish; the package fish has it"
fi

if command -v zsh >/dev/null; then
    mkdir "$work/functions" && cp "$work/deja.zsh" "$work/functions/_deja"
    zsh -f "$source/tests/cli/completion.zsh" "$work/functions" "$work" <"$cases" || bad=1
    check zsh
else
    echo "left out: completion for zsh; the package zsh has it"
fi
exit $bad
