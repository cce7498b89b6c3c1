"""Writes the module saltus/_bindings.py, through which cffi calls the library, from its headers.

    python3 bindings.py INCLUDE_FOLDER OUTPUT_FILE

Nothing is declared by hand, so declarations cannot differ from those of the library.
"""
import re
import sys
from pathlib import Path

HEADERS = ("status.h", "model.h", "script.h", "sim.h", "answer.h", "draw.h", "saltus.h")


def declarations(text):
    """The types and functions of a header, as cffi reads them: without comments and macros."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", "", text, flags=re.M)
    text = re.sub(r'extern "C" \{(.*)\}', r"\1", text, flags=re.S)
    text = re.sub(r"__attribute__\(\(.*?\)\)\)?\s*(?=;)", "", text, flags=re.S)
    return re.sub(r"\bSALTUS_API\b", "", text)


def option_names(text):
    """The options that can be set by name: the rows of SALTUS_OPTION_LIST, and the two beside it."""
    rows = re.search(r"#define SALTUS_OPTION_LIST\(X\)((?:.*\\\n)*.*)", text).group(1)
    return re.findall(r"X\((\w+),", rows) + ["formulation", "backend"]


def main(include, output):
    from cffi import FFI
    folder = Path(include) / "saltus"
    texts = [(folder / name).read_text(encoding="utf-8") for name in HEADERS]
    ffi = FFI()
    ffi.cdef("\n".join(map(declarations, texts)))
    ffi.set_source("saltus._bindings", None)
    ffi.emit_python_code(str(output))
    with open(output, "a", encoding="utf-8") as file:
        file.write(f"OPTIONS = {tuple(option_names(texts[HEADERS.index('sim.h')]))!r}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
