"""Hooks of the site: pages outside docs/ join it, links to code become plain text, and every function gets its entry."""

import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("ARCHITECTURE.md", "BENCHMARKS.md", "CHANGELOG.md", "CONTRIBUTING.md", "REFERENCES.md")
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")


def on_files(files, config):
    for name in PAGES:
        files.append(File.generated(config, name, content=(ROOT / name).read_text()))
    files.append(File.generated(config, "every-function.md", content=every_function()))
    return files


def declarations():
    """Documentation, arguments and results of every function, from where the library declares it."""
    found = {}
    for file in sorted((ROOT / "crates/dtau/src").rglob("*.rs")):
        for block in file.read_text().split("\ndeclare! {\n")[1:]:
            lines = [line.strip() for line in block.split("\n}\n")[0].splitlines()]
            doc = [line[3:].removeprefix(" ") for line in lines if line.startswith("///")]
            code = " ".join(line for line in lines if not line.startswith("//"))
            if form := re.match(r"fn (\w+)( of constraints)?( \{.*?\})? ?\((.*?)\) -> (?:\w+ \{|\()(.*)[})] by ", code):
                name, held, words, inputs, outputs = form.groups()
                arguments = re.findall(r"(\w+): ", inputs) + re.findall(r"(\w+): ", words or "")
                results = re.findall(r"(\w+): ", outputs)
            else:  # a function with its own way in: its name, a line on it, inputs, outputs
                name, line, inputs, outputs = re.match(r'@algorithm \w+ \{.*?\}, (\w+), "(.*?)", \[(.*?)\],? \[(.*?)\]', code).groups()
                doc, held = [line], "of &" if "constraints" in name or "constrained" in name else None
                arguments, results = (re.findall(r'Arg::new\("(\w+)"', array) for array in (inputs, outputs))
            found[name] = doc, ["model", *(["constraints"] if held else []), *arguments], results
    return found


def every_function():
    """A page with an entry for every function of docs/functions.md, under its headings."""
    entries = (ROOT / "crates/dtau-py/src/text/functions.txt").read_text().split("\n## ")[1:]
    examples = {re.match(r"\w+", entry)[0]: re.findall(r"^(?:>>>|\.\.\.) .*$", entry, re.MULTILINE) for entry in entries}
    known = declarations()
    page = ["# Every function", "", "Python is called as shown; results with several fields are named tuples. In Rust an engine follows the model."]
    for line in (ROOT / "docs/functions.md").read_text().splitlines():
        if line.startswith("## "):
            page += ["", line]
        first = line.split("|")[1].split("*")[0] if line.startswith("|") else ""
        for name in re.findall(r"`(\w+)`", first):
            doc, arguments, results = known[name]
            text = re.sub(r"\[(`[^`]+`|[\w ]+)\](?:\(crate::[\w:]+(?:\(\))?\))?", r"\1", "\n".join(doc)).replace("# Errors\n", "**Errors.** ")
            page += ["", f"### {name}", "", "```python", f"dtau.{name}({', '.join(arguments)})  # → {', '.join(results)}", "```", "", text]
            page += ["", "```python", *(example[4:] for example in examples[name]), "```"]
    return "\n".join(page)


def on_page_markdown(markdown, page, config, files):
    here = ROOT if page.file.src_uri in PAGES else ROOT / "docs"
    folder = (here / page.file.src_uri).parent

    def link(match):
        text, address = match.groups()
        path, _, heading = address.partition("#")
        if "://" in address or not path:
            return match[0]
        target = (folder / path).resolve()
        if target.parent == ROOT and target.name in PAGES:
            found = target.name
        elif target.is_relative_to(ROOT / "docs") and target.is_file():
            found = target.relative_to(ROOT / "docs").as_posix()
        else:
            assert target.exists(), f"{page.file.src_uri}: no file {path}"
            return text  # code
        up = "../" * page.file.src_uri.count("/")
        return f"[{text}]({up}{found}{'#' + heading if heading else ''})"

    parts = re.split(r"^(```.*?^```$)", markdown, flags=re.DOTALL | re.MULTILINE)
    parts[::2] = [LINK.sub(link, part) for part in parts[::2]]
    # The second word of a block's kind says which test runs it.
    return re.sub(r"^```python \w+$", "```python", "".join(parts), flags=re.MULTILINE)
