"""The points that ``saltus sweep`` draws, against those of SciPy."""
import csv
import subprocess

import numpy as np
import pytest
from conftest import need

from saltus._library import program

qmc = need("scipy.stats").qmc
DIMENSIONS = 21


@pytest.fixture
def draw(tmp_path):
    """Draws points of uniform or normal laws for the parameters p0, p1, ..."""
    names = [f"p{i}" for i in range(DIMENSIONS)]
    lines = [f'param("{n}", 0)' for n in names]
    (tmp_path / "still.lua").write_text("\n".join([*lines, 'local x = coordinate("x") mass(x, 1) horizon(0, 1)']))

    def points(laws, *options):
        given = [word for n, law in zip(names, laws) for word in ("--over", f"{n}~{law}")]
        subprocess.run([program(), "sweep", "still.lua", *given, *options, "--csv", "points.csv", "--quiet"],
                       cwd=tmp_path, check=True)
        with open(tmp_path / "points.csv", newline="") as file:
            return np.array([[float(row[n]) for n in names[:len(laws)]] for row in csv.DictReader(file)])
    return points


def test_sobol_has_the_direction_numbers_of_joe_and_kuo(draw):
    """A random number is exchanged with the bits of each dimension: from point to point, the same bits change."""
    found = draw(["uniform(0,1)"] * DIMENSIONS, "--sample", "sobol:512")
    expected = qmc.Sobol(DIMENSIONS, scramble=False).random_base2(9)
    bits = np.floor(found * 2.0**32).astype(np.int64)
    wanted = np.floor(expected * 2.0**32).astype(np.int64)
    assert ((found * 2.0**32) % 1 == 0.5).all()
    assert (bits ^ bits[0] == wanted).all()


def test_latin_hypercubes_have_one_point_in_each_part(draw):
    special = need("scipy.special")
    count = 300
    found = draw(["uniform(2,5)", "normal(-1,3)", "uniform(0,1)"], "--sample", f"lhs:{count}")
    parts = np.column_stack([(found[:, 0] - 2) / 3, special.ndtr((found[:, 1] + 1) / 3), found[:, 2]])
    for part in np.floor(parts * count).astype(int).T:
        assert sorted(part) == list(range(count))
    assert (abs(np.corrcoef(parts.T) - np.eye(3)) < 0.2).all()  # in independent orders
    assert qmc.discrepancy(parts) < 0.002


def test_normal_numbers_are_the_quantiles_of_uniform_ones(draw):
    special = need("scipy.special")
    for sample in ("sobol:1024", "random:1000", "lhs:2000"):
        u = draw(["uniform(0,1)"] * 3, "--sample", sample)
        z = draw(["normal(0,1)", "normal(5,0.25)", "normal(0,1)"], "--sample", sample)
        expected = special.ndtri(u)
        assert np.allclose(z[:, [0, 2]], expected[:, [0, 2]], rtol=1e-12, atol=1e-13)
        assert np.allclose(z[:, 1], 5 + 0.25 * expected[:, 1], rtol=1e-12)


def test_random_numbers_have_their_law(draw):
    from scipy import stats
    found = draw(["uniform(0,1)", "normal(0,1)"], "--sample", "random:4000")
    assert stats.kstest(found[:, 0], "uniform").pvalue > 0.01 and stats.kstest(found[:, 1], "norm").pvalue > 0.01
    assert abs(np.corrcoef(found.T)[0, 1]) < 0.05


@pytest.mark.parametrize("sample", ["random:50", "lhs:50", "sobol:64"])
def test_the_seed_decides(draw, sample):
    laws = ["uniform(0,1)", "normal(0,1)"]
    first, again = draw(laws, "--sample", sample), draw(laws, "--sample", sample, "--seed", "0")
    other = draw(laws, "--sample", sample, "--seed", "1")
    assert (first == again).all() and (first != other).any(axis=0).all()
