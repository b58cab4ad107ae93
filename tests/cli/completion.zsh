#!/usr/bin/env zsh
# SPDX-License-Identifier: MIT
# Completes command lines as an interactive zsh does, and records what it offers.
#   completion.zsh FUNCTIONS FOLDER <CASES
# FUNCTIONS contains _deja. The offers for line N go to FOLDER/zsh.N. A line ends at '|'.
zmodload zsh/zpty || exit 1
scripts=$1 folder=$2

# In the inner shell compadd, which receives all candidates, also writes them to a file.
cat >$folder/rc.zsh <<'RC'
PROMPT= RPROMPT=
unsetopt beep
fpath=($FUNCTIONS $fpath)
autoload -Uz compinit
compinit -u -D
compadd() {
    local -a __hits
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
        builtin compadd "$@"
        return
    fi
    builtin compadd -O __hits "$@"
    (($#__hits)) && print -rl -- ${__hits/#/$IPREFIX} >>$FOLDER/offers
    builtin compadd "$@"
}
# zsh empties this list before it calls the functions in it.
finish() {
    comppostfuncs=(finish)
    : >$FOLDER/done
}
comppostfuncs=(finish)
zstyle ':completion:*' accept-exact false
bindkey '^I' complete-word
bindkey '^U' kill-whole-line
: >$FOLDER/done
RC

await() {
    local line
    repeat 500; do
        [[ -e $folder/done ]] && return 0
        zpty -rt deja line 2>/dev/null
        sleep 0.02
    done
    print "zsh does not answer: $1"
    return 1
}

export FUNCTIONS=$scripts FOLDER=$folder TERM=dumb
zpty -b deja zsh -f -i
zpty -w deja "source $folder/rc.zsh"
await "its start" || exit 1
number=0
while IFS='|' read -r words rest; do
    number=$((number + 1))
    rm -f $folder/done
    : >$folder/offers
    zpty -wn deja "$words"$'\t'
    await "$words" || exit 1
    mv $folder/offers $folder/zsh.$number
    zpty -wn deja $'\x15'
done
zpty -d deja
