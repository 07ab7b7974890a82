"""Names of other libraries: their errors and the pages say what to write instead."""

import ast
import importlib
import inspect
import re

import dtau
import pytest
from conftest import REPOSITORY
from dtau import _names

ROWS = [(library, name, what) for library, table in _names.TABLES.items() for names, what in _names.rows(table) for name in names]
PAGES = {library: REPOSITORY / f"docs/migrating-from-{library.lower()}.md" for library in _names.TABLES if library}


def calls(text):
    """Yields the dotted names of dtau in a text, each with its call if it has one."""
    for match in re.finditer(r"\b(dtau|model|a)((?:\.[A-Za-z_]\w*)+)", text):
        end, depth = match.end(), 0
        if text[end : end + 1] == "(":
            for end in range(match.end(), len(text)):
                depth += {"(": 1, ")": -1}.get(text[end], 0)
                if depth == 0:
                    break
            end += 1
        yield match[1], match[2][1:].split("."), text[match.start() : end]


def check(text):
    """Checks that everything of dtau in a text exists and takes the arguments it has there."""
    found = 0
    for owner, path, call in calls(text):
        thing = dtau if owner == "dtau" else dtau.Model
        if path[0] == "jax":
            thing, path = importlib.import_module("dtau.jax"), path[1:]
        elif path[0] == "casadi":  # it has the functions of dtau, and needs CasADi
            path, call = path[1:], ""
        for name in path:
            assert hasattr(thing, name), f"{call}: there is no {name}"
            thing = getattr(thing, name)
        if call.endswith(")") and callable(thing) and "…" not in call:
            given = ast.parse(call.replace("=n)", "=1)")).body[0].value
            while isinstance(given.func, ast.Attribute) and isinstance(given.func.value, ast.Call):
                given = given.func.value  # Constraints(model).point("foot")…: the first call
            own = [] if owner == "dtau" else [None]
            inspect.signature(thing).bind(*own, *given.args, **{word.arg: None for word in given.keywords})
        found += 1
    return found


@pytest.mark.parametrize("library", _names.TABLES)
def test_what_the_tables_name_exists(library):
    for names, what in _names.rows(_names.TABLES[library]):
        assert names and check(what) or what.startswith(": "), names


def test_no_name_is_twice_or_is_one_of_ours(arm):
    names = [name for _, name, _ in ROWS]
    assert len(set(names)) == len(names) > 200
    assert not {name for name in names if name in vars(dtau) and name in vars(dtau.Model)}


@pytest.mark.parametrize("library, name, what", ROWS)
def test_a_name_of_another_library_answers(arm, library, name, what):
    for owner in (dtau, arm):
        if name in vars(dtau if owner is dtau else dtau.Model):
            continue
        with pytest.raises(AttributeError) as caught:
            getattr(owner, name)
        message = str(caught.value)
        assert f"has no attribute '{name}'; " in message and message.endswith((what.removeprefix(": "), f"{what} here"))
        assert not hasattr(owner, name) and (not library or what.startswith(": ") or f"{library}'s {name}" in message)


def test_a_name_at_the_wrong_place_answers(arm):
    for owner, name, message in [
        (arm, "rnea", r"'dtau\.Model' object has no attribute 'rnea'; write dtau\.rnea\(model, …\)"),
        (dtau, "neutral", r"module 'dtau' has no attribute 'neutral'; it belongs to a model: model\.neutral"),
        (dtau, "ray", r"; write `import dtau\.ray` first"),
        (arm, "jointz", r"has no attribute 'jointz'$"),
        (arm, "__array__", r"has no attribute '__array__'$"),
    ]:
        if name not in vars(owner if owner is dtau else dtau.Model):
            with pytest.raises(AttributeError, match=message):
                getattr(owner, name)


def table_rows(page):
    lines = [line for line in page.read_text().splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


@pytest.mark.parametrize("library", PAGES)
def test_the_page_of_a_library_has_its_names(library):
    rows = table_rows(PAGES[library])
    for names, what in _names.rows(_names.TABLES[library]):
        if what.startswith(": "):
            continue
        wanted = {(owner, *path) for owner, path, _ in calls(what)}
        for name in names:
            theirs = [row for row in rows if re.search(rf"\b{re.escape(name)}\b", row[0])]
            assert theirs, f"{PAGES[library].name} has no {name}"
            ours = [{(owner, *path) for owner, path, _ in calls(row[1])} for row in theirs]
            assert any(wanted & each for each in ours), f"{PAGES[library].name} says of {name}: {theirs}; the table: {what}"


@pytest.mark.parametrize("library", PAGES)
def test_what_a_page_names_exists(library):
    calls_of_page = sum(check(row[1]) for row in table_rows(PAGES[library]) if len(row) == 2)
    assert calls_of_page >= 10


class Data:
    pass


@pytest.mark.parametrize(
    "use, message",
    [
        (lambda m, q, d: dtau.rnea(m, d, q, q, q), r"^rnea\(\) takes 4 .* 5 were given; there is no `data`: write rnea\(model, q, v, a\)"),
        (lambda m, q, d: dtau.crba(m, d, q), r"^crba\(\) takes 2 .*; there is no `data`: write crba\(model, q\)"),
        (lambda m, q, d: dtau.frame_jacobian(m, d, q, 3, "local"), r"there is no `data`: write frame_jacobian\(model, q, frame, reference\)"),
        (lambda m, q, d: dtau.aba(m, d, q, q), r"`q` is a test_names\.Data; aba takes no `data`"),
        (lambda m, q, d: m.integrate(d, q, q), r"^integrate\(\) takes 2 .*: write integrate\(q, v\)"),
        (lambda m, q, d: dtau.crba(m, q, q), r"^crba\(\) takes 2 positional arguments but 3 were given$"),
    ],
)
def test_data_is_not_an_argument(arm, use, message):
    with pytest.raises(TypeError, match=message):
        use(arm, arm.neutral(), Data())


def test_references_are_in_lower_case(arm):
    with pytest.raises(ValueError, match=r'`reference` is "LOCAL"; it must be "local", .*, in lower case$'):
        dtau.frame_jacobian(arm, arm.neutral(), "tool0", "LOCAL")
    with pytest.raises(ValueError, match=r'"local_world_aligned"$'):
        dtau.frame_jacobian(arm, arm.neutral(), "tool0", "locale")
