"""The public surface of the library as text, a line an item, so that a change of it is seen and meant.

    python3 tools/api/snapshot.py            says what differs from tools/api/dtau.txt; the exit code is 1 if anything does
    python3 tools/api/snapshot.py --write    writes tools/api/dtau.txt

Reads what rustdoc writes as JSON, with all features. That format is not stable: of another version than the one known here the
script says so and judges nothing.
"""

import argparse
import difflib
import json
import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
SNAPSHOT = Path(__file__).with_name("dtau.txt")
KNOWN = range(45, 58)  # versions of rustdoc's format in which nothing that is used here differs


def documentation():
    """What rustdoc knows of the library."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target"))
    command = ["cargo", "rustdoc", "--quiet", "-p", "dtau", "--lib", "--all-features", "--", "-Z", "unstable-options"]
    command += ["--output-format", "json"]
    # The option is one of the nightly compiler; this asks the stable one for it.
    environment = os.environ | {"RUSTC_BOOTSTRAP": "1", "CARGO_TARGET_DIR": str(target / "api")}
    subprocess.run(command, cwd=REPOSITORY, env=environment, check=True, timeout=1800)
    return json.loads((target / "api" / "doc" / "dtau.json").read_text())


class Surface:
    def __init__(self, documentation):
        self.index = documentation["index"]
        self.lines = set()
        self.seen = set()
        self.module(self.item(documentation["root"]), "dtau")

    def item(self, number):
        return self.index.get(str(number))

    def module(self, item, path):
        for number in item["inner"]["module"]["items"]:
            if child := self.item(number):
                self.named(child, path)

    def named(self, item, path):
        """An item of a module under the path by which users reach it."""
        if item["visibility"] != "public":
            return
        kind, inner = next(iter(item["inner"].items()))
        if kind == "use":
            return self.use(inner, path)
        here = f"{path}::{item['name']}"
        if (here, item["id"]) in self.seen:
            return
        self.seen.add((here, item["id"]))
        if kind == "module":
            self.lines.add(f"mod {here}")
            self.module(item, here)
        elif kind == "function":
            self.lines.add(f"fn {here}{signature(inner)}")
        elif kind == "struct":
            self.lines.add(f"struct {here}{generics(inner['generics'])}")
            self.fields(inner["kind"], here)
            self.impls(inner["impls"], here)
        elif kind == "enum":
            self.lines.add(f"enum {here}{generics(inner['generics'])}{exhaustive(item)}")
            for number in inner["variants"]:
                variant = self.item(number)
                self.lines.add(f"variant {here}::{variant['name']}")
                self.fields(variant["inner"]["variant"]["kind"], f"{here}::{variant['name']}", of_variant=True)
            self.impls(inner["impls"], here)
        elif kind == "trait":
            bounds = " + ".join(filter(None, map(bound, inner["bounds"])))
            self.lines.add(f"trait {here}{generics(inner['generics'])}" + (f": {bounds}" if bounds else ""))
            self.members(inner["items"], here)
        elif kind == "type_alias":
            self.lines.add(f"type {here}{generics(inner['generics'])} = {of_type(inner['type'])}")
        elif kind in ("constant", "static"):
            self.lines.add(f"{kind} {here}: {of_type(inner['type'])}")
        else:
            self.lines.add(f"{kind} {here}")

    def use(self, inner, path):
        target = self.item(inner["id"]) if inner["id"] is not None else None
        if target is None:
            self.lines.add(f"use {path}::{inner['name']} = {inner['source']}")  # of another crate
        elif inner["is_glob"]:
            kind = next(iter(target["inner"]))
            numbers = target["inner"][kind].get("items", target["inner"][kind].get("variants", []))
            for child in filter(None, map(self.item, numbers)):
                self.named(child, path)
        else:
            self.named(target | {"name": inner["name"]}, path)

    def fields(self, kind, here, of_variant=False):
        if isinstance(kind, str):  # a unit
            return
        shape, content = next(iter(kind.items()))
        numbers = content["fields"] if isinstance(content, dict) else content
        for place, number in enumerate(numbers):
            field = self.item(number) if number is not None else None
            if field and (of_variant or field["visibility"] == "public"):
                name = field["name"] if shape in ("plain", "struct") else place
                self.lines.add(f"field {here}.{name}: {of_type(field['inner']['struct_field'])}")

    def impls(self, numbers, here):
        for number in numbers:
            block = self.item(number)
            inner = block["inner"]["impl"] if block else None
            if inner is None or inner["is_synthetic"] or inner["blanket_impl"]:
                continue
            if inner["trait"] is None:
                self.members(inner["items"], here)
            else:
                self.lines.add(f"impl {of_path(inner['trait'])} for {here}")

    def members(self, numbers, here):
        for member in filter(None, map(self.item, numbers)):
            kind, inner = next(iter(member["inner"].items()))
            if member["visibility"] not in ("public", "default"):
                continue
            if kind == "function":
                default = " (provided)" if member["visibility"] == "default" and inner["has_body"] else ""
                self.lines.add(f"fn {here}::{member['name']}{signature(inner)}{default}")
            elif kind == "assoc_const":
                self.lines.add(f"const {here}::{member['name']}: {of_type(inner['type'])}")
            elif kind == "assoc_type":
                self.lines.add(f"type {here}::{member['name']}")


def exhaustive(item):
    return " (non-exhaustive)" if any("non_exhaustive" in str(attribute) for attribute in item["attrs"]) else ""


def signature(inner):
    sig = inner["sig"]
    inputs = ", ".join(f"{name}: {of_type(kind)}" for name, kind in sig["inputs"])
    output = f" -> {of_type(sig['output'])}" if sig["output"] else ""
    words = [word for word in ("const", "unsafe", "async") if inner["header"].get(f"is_{word}")]
    return f"{generics(inner['generics'])}({inputs}){output}" + "".join(f" ({word})" for word in words)


def generics(given):
    names = []
    for parameter in given["params"]:
        kind = next(iter(parameter["kind"]))
        if kind == "type" and parameter["kind"]["type"]["is_synthetic"]:
            continue
        bounds = parameter["kind"]["type"]["bounds"] if kind == "type" else []
        text = " + ".join(filter(None, map(bound, bounds)))
        prefix = "const " if kind == "const" else ""
        names.append(prefix + parameter["name"] + (f": {text}" if text else ""))
    where = []
    for predicate in given["where_predicates"]:
        if content := predicate.get("bound_predicate"):
            text = " + ".join(filter(None, map(bound, content["bounds"])))
            where.append(f"{of_type(content['type'])}: {text}")
    return (f"<{', '.join(names)}>" if names else "") + (f" where {', '.join(where)}" if where else "")


def bound(given):
    if content := given.get("trait_bound"):
        return ("?" if content["modifier"] == "maybe" else "") + of_path(content["trait"])
    return given.get("outlives", "")


def of_path(path):
    """The last name of a path with its arguments: where it is defined is no business of users."""
    name = path.get("path", path.get("name", "")).split("::")[-1]
    return name + arguments(path.get("args"))


def arguments(args):
    if not args:
        return ""
    if content := args.get("angle_bracketed"):
        parts = [argument(arg) for arg in content["args"]]
        for constraint in content["constraints"]:
            binding = constraint["binding"]
            parts.append(f"{constraint['name']} = {of_term(binding['equality'])}" if "equality" in binding else constraint["name"])
        return f"<{', '.join(parts)}>" if parts else ""
    if content := args.get("parenthesized"):
        output = f" -> {of_type(content['output'])}" if content["output"] else ""
        return f"({', '.join(map(of_type, content['inputs']))}){output}"
    return ""


def argument(arg):
    if isinstance(arg, str):
        return "_"
    kind, content = next(iter(arg.items()))
    return {"lifetime": lambda: content, "type": lambda: of_type(content), "const": lambda: content["expr"]}[kind]()


def of_term(term):
    return of_type(term["type"]) if "type" in term else term["constant"]["expr"]


def of_type(given):
    if isinstance(given, str):
        return "_"
    kind, content = next(iter(given.items()))
    if kind == "resolved_path":
        return of_path(content)
    if kind in ("generic", "primitive"):
        return content
    if kind == "slice":
        return f"[{of_type(content)}]"
    if kind == "array":
        return f"[{of_type(content['type'])}; {content['len']}]"
    if kind == "tuple":
        return f"({', '.join(map(of_type, content))})"
    if kind == "borrowed_ref":
        lifetime = f"{content['lifetime']} " if content["lifetime"] else ""
        return f"&{lifetime}{'mut ' if content['is_mutable'] else ''}{of_type(content['type'])}"
    if kind == "qualified_path":
        return f"{of_type(content['self_type'])}::{content['name']}"
    if kind == "impl_trait":
        return "impl " + " + ".join(filter(None, map(bound, content)))
    if kind == "dyn_trait":
        return "dyn " + " + ".join(of_path(part["trait"]) for part in content["traits"])
    if kind == "function_pointer":
        output = f" -> {of_type(content['sig']['output'])}" if content["sig"]["output"] else ""
        return f"fn({', '.join(of_type(kind) for _, kind in content['sig']['inputs'])}){output}"
    if kind == "raw_pointer":
        return f"*{'mut' if content['is_mutable'] else 'const'} {of_type(content['type'])}"
    return kind


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the snapshot")
    options = parser.parse_args()
    given = documentation()
    if given["format_version"] not in KNOWN:
        print(f"rustdoc's format {given['format_version']} is not known here; the surface was not compared")
        return 0
    lines = sorted(Surface(given).lines)
    text = "\n".join(lines) + "\n"
    if options.write:
        SNAPSHOT.write_text(text)
        print(f"{len(lines)} items in {SNAPSHOT.relative_to(REPOSITORY)}")
        return 0
    before = SNAPSHOT.read_text().splitlines()
    changes = [line for line in difflib.unified_diff(before, lines, "the snapshot", "the library", n=0, lineterm="")]
    if not changes:
        print(f"{len(lines)} public items, as in the snapshot")
        return 0
    print("\n".join(changes))
    print("\nThe public surface has changed. If that is meant: python3 tools/api/snapshot.py --write, and a line in CHANGELOG.md.")
    return 1


if __name__ == "__main__":
    sys.exit(main())
