#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A profile and a source in which every string is hostile, with every verb that prints and
# every format: no control sequence reaches the terminal, tables and pictures can be parsed,
# and no cell is a formula.
#   hostile.sh DEJA SOURCES BUILD
set -euo pipefail
deja=$1
sources=$2
command -v python3 >/dev/null || {
    echo "skipped: python3 is not installed"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C.UTF-8
unset COLUMNS NO_COLOR

cat >"$work/make.py" <<'PYTHON'
import json, sys
BAD = ["\x1b[31mred\x1b]0;t\x07", "\x9b31m\x85", "a\nb\tc\x7f", "gnp.\u202ecod\u2066\u200f\ufeff", "=1+1", "+2",
       "-3", "@x", "\"q\",r", "<script>&]]></text>", "</details>`a` ``` | **b** [c](d)", "%s%n", "größe → 数"]
count = 0
def spoil(value, key=None):
    global count
    keep = {"schema", "kind", "advice", "policy", "unit"}
    if isinstance(value, dict):
        return {k: spoil(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [spoil(v, key) for v in value]
    words = {"unknown", "global", "local", "heap", "stack", "mapped", "frame", "other", "recorded"}
    if isinstance(value, str) and key not in keep and value not in words:
        count += 1
        return BAD[count % len(BAD)] + value + BAD[(count // len(BAD)) % len(BAD)]
    return value
profile = json.load(open(sys.argv[1]))
spoiled = {k: spoil(v, k) for k, v in profile.items()}
json.dump(spoiled, open(sys.argv[2], "w"))
PYTHON

cat >"$work/check.py" <<'PYTHON'
import csv, io, re, sys, xml.etree.ElementTree as xml
def check(form, text):
    for c in text:
        n = ord(c)
        assert n >= 0x20 or c == "\n", hex(n)
        assert not 0x7f <= n <= 0x9f, hex(n)
        assert n not in (0x61c, 0x200e, 0x200f, 0xfeff), hex(n)
        assert not 0x202a <= n <= 0x202e and not 0x2066 <= n <= 0x2069, hex(n)
    if form == "svg":
        names = [element.tag.split("}")[1] for element in xml.fromstring(text).iter()]
        assert set(names) <= {"svg", "title", "desc", "style", "rect", "text", "tspan", "line", "path", "circle"}, names
        assert not re.search(r"href=|url\(|@import|<!", text)
    if form == "csv":
        for table in text.split("\n\n"):
            rows = list(csv.reader(io.StringIO(table)))
            assert rows and all(len(row) == len(rows[0]) for row in rows), table
            for cell in [cell for row in rows for cell in row if cell]:
                assert cell[0] not in "=+@", cell
                assert cell[0] != "-" or re.fullmatch(r"-\d+(\.\d+)?(e[-+]\d+)?", cell), cell
    if form == "markdown":
        prose = re.sub(r"^(`{3,})text\n.*?^\1$", "", text, flags=re.S | re.M)  # fences, then code
        prose = re.sub(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", "", prose)
        assert not re.search(r"<(?!/?(details|summary|sub|br)\b)", prose), prose
        assert prose.count("<details>") == prose.count("</details>"), prose
for path in sys.argv[1:]:
    try:
        check(path.split(".")[-1], open(path, "rb").read().decode("utf-8"))
    except Exception:
        print(open(path.rsplit(".", 1)[0] + ".run").read())
        raise
PYTHON

python3 "$work/make.py" "$sources/tests/support/grid/profile.json" "$work/bad.json"
cd "$work"
printf 'l 0x10 4\nl 0x80 4\nl 0x10 4\n' >'=1+1<b>"c".txt'
"$deja" spatial --format address --json -o spatial.json './=1+1<b>"c".txt'
python3 make.py spatial.json bad_spatial.json
runs=(
    "report bad.json"
    "report --by all bad.json"
    "annotate bad.json"
    "mrc bad.json"
    "mrc bad.json spatial.json"
    "spatial bad_spatial.json"
    "info"
    "stats"
)
n=0
for form in text csv markdown svg; do
    for run in "${runs[@]}"; do
        for how in "" "--ascii" "--width 60"; do
            read -r -a arguments <<<"$run"
            [[ $run == stats ]] && arguments=(stats --format address './=1+1<b>"c".txt')
            n=$((n + 1))
            echo "deja ${arguments[*]} --export $form $how" >$n.run
            # shellcheck disable=SC2086
            "$deja" "${arguments[@]}" --export "$form" $how >"$n.$form" 2>"$n.err" || {
                cat "$n.run" "$n.err"
                exit 1
            }
        done
    done
done
# Messages about refused files are plain text, too.
printf '{"schema": "deja-profile\033[31m\u202e"}' >refused.json
for file in refused.json $'\033[31mmissing\u202e'; do
    n=$((n + 1))
    echo "a refused file" >$n.run
    if "$deja" report "$file" >/dev/null 2>"$n.err"; then
        echo "$file is accepted as a profile"
        exit 1
    fi
done
python3 check.py ./[0-9]*.text ./[0-9]*.csv ./[0-9]*.markdown ./[0-9]*.svg ./[0-9]*.err
