"""Documentation examples run, and types are correct."""

import ast
import doctest
import inspect
import json
import re
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
    assert "the torques for the accelerations ``a``" in done.stdout


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


def test_an_editor_shows_documentation_and_defaults(module=dtau._dtau):
    """The stub has the documentation of `help`, and every option with its default."""
    tree = ast.parse(Path(module.__file__).with_name("_dtau.pyi").read_text())
    kinds = (ast.ClassDef, ast.FunctionDef)
    public = [(module, node) for node in tree.body if isinstance(node, kinds)]
    public += [(getattr(module, kind.name), node) for kind in tree.body if isinstance(kind, ast.ClassDef)
               if not kind.name.startswith("_") for node in kind.body if isinstance(node, kinds)]  # fmt: skip
    public = [(owner, node) for owner, node in public if not node.name.startswith("_")]
    assert len(public) > 300
    for owner, node in public:
        assert ast.get_docstring(node) == inspect.getdoc(getattr(owner, node.name)).strip(), (owner, node.name)
    options = inspect.signature(dtau.Model.from_urdf).parameters
    for owner, node in public:
        if "root" in (names := [arg.arg for arg in getattr(node, "args", ast.arguments([], [], kwonlyargs=[])).kwonlyargs]):
            defaults = [ast.literal_eval(each) for each in node.args.kw_defaults]
            want = [... if node.name == "with_options" else options[name].default for name in names]
            assert names == list(options)[1:] and defaults == want, (owner, node.name)


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
        "print(sorted({'jax', 'torch', 'ray', 'pyarrow', 'pinocchio', 'mujoco', 'pydrake', 'matplotlib', 'scipy', 'viser', 'trimesh'} & set(sys.modules)))"
    )
    done = run([sys.executable, "-c", program])
    assert done.stdout.strip() == "[]"


def found(pattern):
    """Returns the matches of a pattern on all pages, named by page and line."""
    pages = [REPOSITORY / "README.md", PACKAGE / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
    return [
        pytest.param(*match.groups(), id=f"{page.relative_to(REPOSITORY)}:{match.string[: match.start()].count(NEWLINE) + 1}")
        for page in pages
        for match in re.finditer(pattern, page.read_text(), re.DOTALL | re.MULTILINE)
    ]


NEWLINE = "\n"
PYTHON = found(r"^```python\n((?:(?!^```).)*)^```$(?:\n\n```text\n(.*?)^```$)?")
CASADI = found(r"^```python casadi\n(.*?)^```$")


def run_alone(block, name, directory, monkeypatch):
    """Runs a copied block: no name is defined yet, and no file exists."""
    monkeypatch.chdir(directory)
    digits = "jax" in sys.modules and sys.modules["jax"].config.jax_enable_x64
    try:
        exec(compile(block, name, "exec"), {"__name__": "__main__"})
    finally:  # other tests keep their setting
        if "jax" in sys.modules:
            sys.modules["jax"].config.update("jax_enable_x64", digits)


def test_blocks_are_found():
    assert len(PYTHON) > 20 and len(CASADI) >= 1 and sum(output is not None for _, output in (p.values for p in PYTHON)) >= 5


@pytest.mark.parametrize("block, output", PYTHON)
def test_a_block_of_the_documentation_runs_alone(block, output, request, capsys, tmp_path, monkeypatch):
    """A block of text that follows at once is its output."""
    run_alone(block, request.node.callspec.id, tmp_path, monkeypatch)
    if output is not None:
        assert capsys.readouterr().out == output


@pytest.mark.parametrize("block", CASADI)
def test_a_block_with_casadi_runs_alone(block, request, tmp_path, monkeypatch):
    pytest.importorskip("casadi")
    run_alone(block, request.node.callspec.id, tmp_path, monkeypatch)


def test_both_programs_of_the_readme_print_the_same():
    """rustdoc compiles and runs the one in Rust, but does not check its output."""
    text = (REPOSITORY / "README.md").read_text()
    (python, rust) = re.findall(r"^```text\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert python.splitlines()[0] == rust.strip()


NOTEBOOKS = sorted((REPOSITORY / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_runs(notebook, tmp_path, monkeypatch):
    """Runs its cells one after the other. Results are not stored in it."""
    cells = [cell for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]
    assert not any(cell["outputs"] or cell["execution_count"] for cell in cells)
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    monkeypatch.chdir(tmp_path)
    scope = {"__name__": "__main__"}
    for number, cell in enumerate(cells, 1):
        exec(compile("".join(cell["source"]), f"{notebook.name}, cell {number}", "exec"), scope)
    assert pyplot.get_fignums(), "it draws nothing"
    pyplot.close("all")


def test_notebooks_are_found():
    assert len(NOTEBOOKS) >= 3
