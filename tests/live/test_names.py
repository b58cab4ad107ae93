# SPDX-License-Identifier: MIT
"""Tables show C++ and Rust names without template arguments and parameters, and rows that would look alike with
them; --full-names, csv and JSON have complete names."""
import os
import re

from live import check, deja, finish, leave_out, load, native, need, program, same, scratch

need("valgrind")
PATH = scratch("names.json")
WIDE = dict(os.environ, COLUMNS="200")


def run(words):
    ran = deja("run", "--json", "--by", "function", "-o", PATH, "--", *words)
    same(ran.returncode, 0, f"status of {words} ({ran.stderr.decode()[-300:]})")
    return {row["name"] for row in load(PATH)["functions"]}


def shown(*options):
    """The names in the first column of the table of functions."""
    text = deja("report", "--by", "function", "--top", "5000", *options, PATH, env=WIDE).stdout.decode()
    table = text.split("functions by", 1)[1].split("\n\n", 1)[0].split("\n")[1:]
    return {re.split(r"  +", line.strip())[0] for line in table}


complete = run([program("named")])
people = shown()
for name in ("(anonymous namespace)::Table<…>::sum", "(anonymous namespace)::Table<…>::operator<",
             "main::{lambda#1}::operator()", "main"):
    check(name in people, f"{name} is not among {sorted(n for n in people if 'Table' in n or 'main' in n)}")
# Two functions of one name: with their parameters.
overloads = {name for name in people if "overloaded" in name}
same(len(overloads), 2, f"overloads ({overloads})")
check(all("std::vector<" in name and "(" in name.split("overloaded")[1] for name in overloads), f"{overloads}")
check(not any("std::allocator" in name and "overloaded" not in name and "Table" in name for name in people),
      "template arguments in the table")
check(any("Table<int>::sum(int const&, long)" in name for name in complete), "JSON has no complete names")
check(any("Table<int>::sum(int const&, long)" in name for name in shown("--full-names")), "--full-names")
csv = deja("report", "--by", "function", "--export", "csv", PATH).stdout.decode()
check("Table<int>::sum(int const&, long)" in csv, "csv has no complete names")

RUST = r"""
trait Shape { fn area(&self) -> u64; }
struct Square(u64);
impl Shape for Square { #[inline(never)] fn area(&self) -> u64 { self.0 * self.0 } }
#[inline(never)] fn total<T: Shape>(all: &Vec<T>) -> u64 { let mut sum = 0; for s in all { sum += s.area(); } sum }
fn main() { let all: Vec<Square> = (0..50).map(Square).collect(); println!("{}", total(&all)); }
"""
try:
    rustc = native("rustc", "--version").returncode == 0
except FileNotFoundError:
    rustc = False
if rustc:
    source = scratch("shapes.rs")
    with open(source, "w") as file:
        file.write(RUST)
    built = native("rustc", "-g", "-O", "-C", "symbol-mangling-version=legacy", "-o", scratch("shapes"), source,
                   env=dict(os.environ))
    if built.returncode:  # a newer compiler may not have it
        built = native("rustc", "-g", "-O", "-o", scratch("shapes"), source)
    same(built.returncode, 0, f"rustc ({built.stderr.decode()[-300:]})")
    complete = run([scratch("shapes")])
    check(not any(re.search(r"::h[0-9a-f]{16}|\$[A-Z]", name) for name in complete), "hashes in names of Rust")
    for name in ("<shapes::Square as shapes::Shape>::area", "shapes::total"):
        check(name in complete, f"{name} is not among {sorted(n for n in complete if 'shapes' in n)}")
else:
    leave_out("rustc is not installed; the package rustc has it")
finish()
