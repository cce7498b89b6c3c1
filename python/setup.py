"""Installs the package with the library and the program inside it:

    pip install --no-build-isolation ./python

They are taken from ../build (or from the folder that SALTUS_BUILD names) if they are there, else built with CMake. The
bindings are made from ../include.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    import wheel  # noqa: F401
except ImportError:
    try:
        import setuptools.command.bdist_wheel  # noqa: F401  (setuptools has one of its own since 70.1)
    except ImportError:
        sys.exit("the Python package 'wheel' is missing: sudo apt-get install python3-wheel, or pip install wheel")

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent
VERSION = re.search(r"VERSION (\d+\.\d+\.\d+)", (SOURCE / "CMakeLists.txt").read_text()).group(1)
LIBRARY = "libsaltus.so." + VERSION.rsplit(".", 1)[0]


def built():
    """The folder with the library and the program; builds them if there is none."""
    folder = Path(os.environ.get("SALTUS_BUILD", SOURCE / "build"))
    if not ((folder / LIBRARY).exists() and (folder / "saltus").exists()):
        subprocess.check_call(["cmake", "-S", str(SOURCE), "-B", str(folder), "-DSALTUS_TESTS=OFF"])
        subprocess.check_call(["cmake", "--build", str(folder), "--parallel", "--target", "saltus", "saltus_program"])
    return folder


class Build(build_py):
    def run(self):
        super().run()
        package = Path(self.build_lib) / "saltus"
        folder = built()
        for name in (LIBRARY, "saltus"):
            shutil.copy(folder / name, package / (name if name == LIBRARY else "saltus-program"))
        subprocess.check_call([sys.executable, str(HERE / "bindings.py"), str(SOURCE / "include"),
                               str(package / "_bindings.py")])
        (package / "_place.py").write_text("# Where the library and the program are, from this folder.\n"
                                           f'LIBRARY = "{LIBRARY}"\nPROGRAM = "saltus-program"\n')


class WithLibrary(Distribution):
    def has_ext_modules(self):
        return True


setup(name="saltus", version=VERSION, packages=["saltus"], package_data={"saltus": ["py.typed", "*.pyi"]},
      description="Simulation and exact gradients of mechanisms whose motion jumps",
      python_requires=">=3.9", install_requires=["cffi>=1.15", "numpy>=1.21"],
      extras_require={"tables": ["pandas"], "plots": ["matplotlib"], "torch": ["torch"]},
      cmdclass={"build_py": Build}, distclass=WithLibrary)
