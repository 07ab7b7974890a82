"""Documentation examples run, and types are correct."""

import ast
import doctest
import importlib.util
import inspect
import shutil
import sys
from base64 import urlsafe_b64encode
from hashlib import sha256
from importlib import metadata
from pathlib import Path

import dtau
import pytest
from conftest import PACKAGE, REPOSITORY, run


def public_objects():
    yield "dtau", dtau
    for name in dtau.__all__:
        thing = getattr(dtau, name)
        yield name, thing
        if inspect.isclass(thing) and not issubclass(thing, Exception):
            for member in vars(thing):
                if not member.startswith("_"):
                    yield f"{name}.{member}", getattr(thing, member)


OBJECTS = dict(public_objects())
FUNCTIONS = {name: f for name, f in OBJECTS.items() if inspect.isbuiltin(f) and "." not in name}


@pytest.mark.parametrize("name", OBJECTS)
def test_everything_public_is_documented_and_examples_run(name):
    doc = inspect.getdoc(OBJECTS[name])
    assert doc, name
    test = doctest.DocTestParser().get_doctest(doc, {}, name, None, 0)
    failures = []
    doctest.DocTestRunner(verbose=False).run(test, out=failures.append)
    assert not failures, "".join(failures)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_have_an_example_and_say_shapes(name):
    doc = inspect.getdoc(FUNCTIONS[name])
    assert ">>> " in doc, name
    parameters, parts = inspect.signature(FUNCTIONS[name]).parameters, []
    if "model" in parameters:
        parts += ["Parameters\n---", "Returns\n---", "Examples\n---", "(..., nq)"]
    if "threads" in parameters:
        parts += ["Keywords\n---", "threads :", "out\n"]
    for part in parts:
        assert part in doc, (name, part)


def test_help_reads_well():
    done = run([sys.executable, "-c", "import dtau; help(dtau.rnea)"])
    assert "rnea(model, q, v, a, *, f_ext=None, gravity=None, damping=True" in done.stdout
    assert "The torques that give the accelerations" in done.stdout


def test_the_package_is_typed():
    """mypy accepts the package, and the stubs match the compiled part."""
    run([sys.executable, "-m", "mypy", "--strict", "-p", "dtau"], cwd=PACKAGE)
    run([sys.executable, "-m", "mypy.stubtest", "dtau._dtau", "dtau._results"], cwd=PACKAGE)


@pytest.mark.parametrize("module", [dtau._dtau, dtau._results], ids=lambda module: module.__name__)
def test_every_public_name_has_a_type_in_the_wheel(module):
    """Functions, classes and their members have types, and the wheel's record contains the files."""
    (stub,) = (file for file in metadata.files("dtau") if str(file) == f"{module.__name__.replace('.', '/')}.pyi")
    content = stub.read_binary()
    assert stub.size == len(content) and stub.hash.value == urlsafe_b64encode(sha256(content).digest()).decode().rstrip("=")
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AnnAssign)
    name = lambda node: node.target.id if isinstance(node, ast.AnnAssign) else node.name
    typed = {name(node): node for node in ast.parse(content).body if isinstance(node, kinds)}
    for public in module.__all__:
        assert public in typed, public
        if inspect.isclass(thing := getattr(module, public)):
            members = {name(node) for node in typed[public].body if isinstance(node, kinds)}
            missing = {member for member in vars(thing) if not member.startswith("_")} - members
            assert not missing, (public, missing)


def test_every_field_of_results_is_documented():
    for name in dtau._results.__all__:
        kind = getattr(dtau, name)
        for field in kind._fields:
            doc = getattr(kind, field).__doc__
            assert doc.endswith(").") and not doc.startswith(("(", "Alias")), (name, field, doc)


def test_types_are_what_callers_need():
    """A program that uses the types. mypy checks `reveal_type` against the expected types."""
    program = str(PACKAGE / "tests" / "typed_program.py")
    run([sys.executable, "-m", "mypy", "--strict", program], cwd=PACKAGE)
    run([sys.executable, program], cwd=PACKAGE)


def test_only_numpy_is_needed():
    program = (
        "import sys, dtau; "
        "print(sorted({'jax', 'torch', 'ray', 'pyarrow', 'pinocchio', 'mujoco', 'pydrake', 'matplotlib', 'scipy'} & set(sys.modules)))"
    )
    done = run([sys.executable, "-c", program])
    assert done.stdout.strip() == "[]"


def pages_with_python():
    pages = [REPOSITORY / "README.md", PACKAGE / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))]
    return [str(page.relative_to(REPOSITORY)) for page in pages if "```python\n" in page.read_text()]


def test_pages_with_python_are_found():
    assert {"README.md", "docs/python.md", "docs/migrating-from-pinocchio.md"} <= set(pages_with_python())


@pytest.mark.parametrize("page", pages_with_python())
def test_python_in_the_documentation_runs(page, tmp_path, monkeypatch):
    """Blocks of one page run one after the other, as for a reader."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "robot.urdf").write_text(dtau.bundled_urdf("arm6"))
    gymnasium = Path(importlib.util.find_spec("gymnasium").submodule_search_locations[0])
    shutil.copy(gymnasium / "envs/mujoco/assets/humanoid.xml", tmp_path)
    text = (REPOSITORY / page).read_text()
    blocks = [block.split("```")[0] for block in text.split("```python\n")[1:]]
    scope = {}
    for number, block in enumerate(blocks):
        exec(compile(block, f"{page}, block {number + 1}", "exec"), scope)


def test_the_first_program_shows_something(capsys):
    """The number that the README prints is nonzero, and is the one shown."""
    text = (REPOSITORY / "README.md").read_text()
    block = text.split("```python\n")[1].split("```")[0]
    exec(compile(block, "README.md", "exec"), {})
    printed = capsys.readouterr().out.split("=")[1].strip()
    assert float(printed) != 0 and f"# {printed}\n" in block and f"// {printed}\n" in text
