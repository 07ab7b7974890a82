"""Messages that name the problem and its place."""

import collections
import types

import dtau
import numpy as np
import pytest

ARM = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><mass value="{mass}"/><origin xyz="{com}"/>
    <inertia ixx="{ixx}" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <link name="lower"><inertial><mass value="1"/><origin xyz="{com}"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
    <origin xyz="{origin}"/><limit lower="-{limit}" upper="{limit}" velocity="1" effort="1"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><axis xyz="0 0 1"/>
    <origin xyz="{origin}"/><limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
</robot>"""


def arm(mass=1, ixx=0.1, com="0 0 0", origin="0 0 1", limit=3):
    return dtau.Model.from_urdf(ARM.format(mass=mass, ixx=ixx, com=com, origin=origin, limit=limit))


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"mass": 1e300}, r'line 3: link "upper": the mass is 1e300 kg; .*too large'),
        ({"mass": 1e-320}, r'line 3: link "upper": the mass is 1e-320 kg; .*too small to compute with; write 0'),
        ({"ixx": 1e308}, r'line 3: link "upper": the inertia is 1e308 kg m²; .*too large'),
        ({"com": "1e200 0 0"}, r'line 3: link "upper": the centre of mass is 1e200 m; .*too large'),
        ({"origin": "1e200 0 0"}, r'line 7: joint "shoulder": the origin is 1e200 m; .*too large'),
    ],
)
def test_numbers_that_no_robot_has_are_refused_where_they_stand(changes, message):
    with pytest.raises(ValueError, match=message):
        arm(**changes)


def test_an_inertia_that_is_lost_in_rounding_is_said_to_be_so():
    """A hand 1,000 km away or more: rounding exceeds its inertia, which is a difference of large numbers."""
    far = arm(origin="1e8 0 0")
    zero = np.zeros(2)
    with pytest.raises(np.linalg.LinAlgError, match=r"inertia.*is lost in rounding.*far from") as caught:
        dtau.aba(far, zero, zero, zero)
    assert "no inertia" not in str(caught.value)


def test_a_negative_inertia_is_said_to_be_one():
    text = ARM.format(mass=1, ixx=0.1, com="0 0 0", origin="0 0 1", limit=3).replace('izz="0.1"', 'izz="-0.1"')
    with pytest.raises(np.linalg.LinAlgError, match=r'"lower".*is negative'):
        dtau.aba(dtau.Model.from_urdf(text), np.zeros(2), np.zeros(2), np.zeros(2))


def test_loads_that_no_body_can_have_are_refused():
    loaded = arm()
    for keywords, message in [
        ({"mass": -3.0}, r"^the load: the mass is -3; it must not be negative"),
        ({"mass": 1e300}, r"^the load: the mass is 1e300 kg"),
        ({"mass": 1.0, "inertia": (-1, -1, -1)}, r"^the load: .*principal moment.*negative"),
        ({"mass": 1.0, "inertia": [[0.1, 0.5, 0], [0.5, 0.1, 0], [0, 0, 0.1]]}, r"^the load: .*principal moment.*negative"),
        ({"mass": 1.0, "com": (1e300, 0, 0)}, r"^the load: the centre of mass is 1e300 m"),
    ]:
        with pytest.raises(ValueError, match=message):
            loaded.with_payload("lower", **keywords)
    assert loaded.with_payload("lower", 1.0, inertia=(0.1, 0.1, 0.2)).mass == loaded.mass + 1


def test_lines_of_another_file_are_not_named():
    with pytest.raises(ValueError) as caught:
        arm().attach("lower", arm(), prefix="")
    assert str(caught.value).startswith('link "base" is given twice, first on line 2;')  # of this file, not of another


@pytest.mark.parametrize("shape", [-3, (2, -3), (2, 1.5), "x", 1.5, [1, [2]]])
def test_shapes_that_are_none(shape):
    with pytest.raises((ValueError, TypeError), match=r"`shape` is .*it must be a number of configurations") as caught:
        arm().random(0, shape)
    assert "a int" not in str(caught.value)
    if shape == -3:
        assert caught.type is ValueError and "`shape` is -3" in str(caught.value)
    assert arm().random(0, [2, 3]).shape == (2, 3, 2) and arm().random(0, np.int64(3)).shape == (3, 2)


def test_any_mapping_locks_joints():
    model = arm()
    want = model.lock({"elbow": 0.3})
    for mapping in (collections.OrderedDict(elbow=0.3), types.MappingProxyType({"elbow": 0.3}), collections.ChainMap({"elbow": [0.3]})):
        assert model.lock(mapping) == want
    for wrong in (["elbow"], "elbow", 3):
        with pytest.raises(TypeError, match=r"`joints` is an? .*positions by names of joints, such as"):
            model.lock(wrong)
    with pytest.raises(TypeError, match=r"a key is an int"):
        model.lock({3: 0.1})


def test_a_symlink_loop_is_not_a_missing_file(tmp_path):
    loop = tmp_path / "loop.urdf"
    loop.symlink_to(loop)
    with pytest.raises(OSError, match="cannot be read: .*symbolic link") as caught:
        dtau.Model.from_urdf(loop)
    assert not isinstance(caught.value, FileNotFoundError)
    dangling = tmp_path / "dangling.urdf"
    dangling.symlink_to(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError):
        dtau.Model.from_urdf(dangling)


def test_units_that_look_wrong_are_a_hint_among_the_warnings():
    assert not arm().warnings
    (warning,) = arm(limit=180).warnings
    assert "degrees" in warning and '"shoulder"' in warning and "180" in warning
    assert not arm(limit=6.4).warnings and not arm(limit=1e16).warnings
    (warning,) = arm(origin="0 0 300", com="0 0 150").warnings
    assert "millimetres" in warning and "300" in warning
    for name in dtau.bundled_names():
        assert not any("look like" in w for w in dtau.Model.bundled(name).warnings)


def test_names_and_masses_of_any_sort_are_printed_in_one_line_each():
    b = dtau.ModelBuilder("two\nlines")
    b.link("base\t1")
    b.link("a\nb", mass=3e14, inertia=(1, 1, 1))
    b.joint("j\r\n", "revolute", parent="base\t1", child="a\nb", axis=(0, 0, 1))
    model = b.build()
    assert len(str(model).splitlines()) == 1 + len(model.joints)
    assert "\\n" in str(model) and "3.0000e14 kg" in str(model)
    assert len(repr(model).splitlines()) == 1 and len(repr(model.joints[0]).splitlines()) == 1
