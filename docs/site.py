"""Hooks of the site: pages outside docs/ join it, and links to code become plain text."""

import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("ARCHITECTURE.md", "BENCHMARKS.md", "CHANGELOG.md", "CONTRIBUTING.md", "REFERENCES.md")
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")


def on_files(files, config):
    for name in PAGES:
        files.append(File.generated(config, name, content=(ROOT / name).read_text()))
    return files


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
