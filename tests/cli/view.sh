#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# deja view: the file that it writes, how it opens it, and what the page contains; see view.py.
#   view.sh DEJA SOURCES BUILD
set -uo pipefail
deja=$(realpath "$1")
sources=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
bad=0
complain() {
    echo "$*"
    bad=1
}
unset DISPLAY WAYLAND_DISPLAY
profile=$sources/tests/support/grid/profile.json
mkdir runs
cp "$profile" runs/one.json
cp "$profile" runs/two.json

# expect STATUS WORDS COMMAND…: the status, and a message that contains the words.
expect() {
    local wanted=$1 words=$2 status
    shift 2
    timeout 60 "$@" >out 2>err </dev/null
    status=$?
    [[ $status == "$wanted" ]] || complain "$*: status $status, expected $wanted: $(cat err)"
    [[ $(cat err) == *"$words"* ]] || complain "$*: the message is: $(cat err)"
}

# The template of the program, or a message that says how to get one.
unset DEJA_VIEW_TEMPLATE
if "$deja" view -o - runs/one.json >page.html 2>err; then
    grep -q 'id="deja-index"' page.html || complain "the page has no data"
    grep -q "Content-Security-Policy" page.html || complain "the page has no policy"
else
    [[ $? == 4 ]] || complain "without a page, the status is not 4"
    grep -q "this build of deja has no page: .*nodejs and npm.*./dev build" err || complain "the message is: $(cat err)"
fi
export DEJA_VIEW_TEMPLATE=$sources/tests/support/page.html

# Names of pages.
expect 0 "wrote runs/one.html" "$deja" view runs/one.json
[[ -s runs/one.html ]] || complain "no page beside the profile"
expect 0 "open it in a browser: there is no display here" "$deja" view runs/one.json
expect 0 "wrote runs/one-two.html" "$deja" view runs/one.json runs/two.json
"$deja" view - <runs/one.json 2>err || complain "standard input: $(cat err)"
[[ $(cat err) == *"wrote profile.html"* ]] || complain "standard input: the message is: $(cat err)"
expect 0 "wrote other.html" "$deja" view --no-open -o other.html runs/one.json
expect 0 "" "$deja" view -o - runs/one.json
cmp -s out other.html || complain "standard output is not the page"
[[ ! -s err ]] || complain "a message about standard output: $(cat err)"

# A file that nobody named is replaced only if it is a page of ours.
echo mine >runs/two.html
expect 2 "exists, and is not a page of 'deja view'" "$deja" view runs/two.json
[[ $(cat runs/two.html) == mine ]] || complain "a file of the user was replaced"
expect 0 "wrote runs/two.html" "$deja" view -o runs/two.html runs/two.json

# Refusals.
expect 2 "name one profile" "$deja" view
expect 2 "name one profile" "$deja" view runs/one.json runs/two.json runs/one.json
expect 2 "would overwrite the input" "$deja" view -o runs/one.json runs/one.json
expect 2 "store profiles" "$deja" view -o page.dejap runs/one.json
expect 3 "cannot open" "$deja" view runs/none.json
expect 3 "there is no process 9" "$deja" view --process 9 runs/one.json
echo "<!--deja:data-->" >half.html
expect 3 "lacks <!--deja:title-->" env DEJA_VIEW_TEMPLATE=half.html "$deja" view -o page.html runs/one.json
expect 3 "cannot open" env DEJA_VIEW_TEMPLATE=none.html "$deja" view -o page.html runs/one.json
[[ -z $(find . -name 'page.html.*') ]] || complain "a temporary file remains"
if [[ -e /dev/full ]]; then expect 4 "cannot write to /dev/full" "$deja" view -o /dev/full runs/one.json; fi

# The browser: in the background, without its output, in a session of its own.
mkdir bin
cat >bin/xdg-open <<'END'
#!/bin/sh
echo output of the browser
echo errors of the browser >&2
echo "$1" >opened.new
mv opened.new opened
exec sleep 60
END
chmod +x bin/xdg-open
start=$SECONDS
expect 0 "opening it in the browser" env DISPLAY=:9 PATH="$work/bin:$PATH" "$deja" view -o shown.html runs/one.json
((SECONDS - start < 30)) || complain "the browser was waited for"
if [[ -s out ]] || grep -q "of the browser" err; then complain "the browser's output appeared"; fi
for ((i = 0; i < 100; i++)); do
    [[ -e opened ]] && break
    sleep 0.1
done
[[ $(cat opened 2>/dev/null) == "$(realpath shown.html)" ]] || complain "the browser got: $(cat opened 2>&1)"
rm -f opened
expect 0 "wrote shown.html" env DISPLAY=:9 PATH="$work/bin:$PATH" "$deja" view --no-open -o shown.html runs/one.json
expect 0 "xdg-open is not installed" env DISPLAY=:9 PATH="$work/nothing" "$deja" view -o shown.html runs/one.json
sleep 0.3
[[ ! -e opened ]] || complain "the browser was opened in spite of --no-open"

if command -v python3 >/dev/null; then
    python3 "$sources/tests/cli/view.py" "$deja" "$sources" || bad=1
else
    echo "left out: the contents of pages; the package python3 has it"
fi
exit $bad
