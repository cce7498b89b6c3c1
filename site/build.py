"""Builds the documentation site from docs/, the models and the pages at the top of the repository.

    site/build.py BUILD                 BUILD/site: everything (make site)
    site/build.py BUILD --without-pictures -o DIR   without pictures and reports: what the test of the docs builds

The files in docs/ are written for readers of the repository: their links lead to other files of it. Here they are
copied to BUILD/site-pages, links to files outside of docs/ are rewritten, tables of models become galleries, and
every model gets a page. MkDocs does the rest (site/mkdocs.yml).
"""
import argparse
import concurrent.futures
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Pages at the top of the repository, and where they are on the site.
PROJECT = {"ARCHITECTURE.md": "project/architecture.md", "CONTRIBUTING.md": "project/contributing.md",
           "CHANGELOG.md": "project/changelog.md", "SECURITY.md": "project/security.md",
           "CODE_OF_CONDUCT.md": "project/conduct.md", "bench/README.md": "project/bench.md",
           "models": "models.md", "docs": "index.md", "README.md": "index.md"}
# Folders and files that pages link to: they are copied as they are.
COPIED = ["examples", "python/notebooks", "CITATION.cff", "LICENSE", "Containerfile"]
# The playground itself: docs/playground.md, which tells about it, is playground.html.
PLAYGROUND = "try.html"
# Pages that use the whole width.
WIDE = {"docs/index.md": "[navigation, toc]", "docs/models.md": "[navigation]"}
LINK = re.compile(r"(!?\[[^\]]*\])\(([^)\s]+)\)")
MODEL_ROW = re.compile(r"^\| (`[a-z0-9_]+\.lua`(?:, `[a-z0-9_]+\.lua`)*) \| (.*) \|$")


def place_on_site(path):
    """Where a file of the repository (a path from its top) is on the site, or None."""
    if path in PROJECT:
        return PROJECT[path]
    if path.startswith("docs/"):
        return path[len("docs/"):]
    if path.startswith("models/") and path.endswith(".lua"):
        return f"models/{pathlib.Path(path).stem}.md"
    for top in COPIED:
        if path == top or path.startswith(top + "/"):
            return f"files/{path}/index.md" if (ROOT / path).is_dir() else f"files/{path}"
    return None


def rewrite_links(text, path):
    """Links of a page of the repository as links between pages of the site. Code is left alone."""
    here = os.path.dirname(place_on_site(path))

    def one(match):
        label, target = match.groups()
        file, _, anchor = target.partition("#")
        if not file or re.match(r"[a-z]+:", file):
            return match.group(0)
        to = place_on_site(os.path.normpath(os.path.join(os.path.dirname(path), file)))
        if to is None:
            raise SystemExit(f"{path}: '{target}' is not on the site; add it to COPIED or PROJECT in site/build.py")
        return f"{label}({os.path.relpath(to, here or '.')}{'#' + anchor if anchor else ''})"

    parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
    return "".join(plain_fence(part) if i % 2 else LINK.sub(one, part) for i, part in enumerate(parts))


def plain_fence(block):
    """Words after the language of a block are for the test that runs it."""
    return re.sub(r"^```(\w+)[^\n]*", r"```\1", block)


# ---- models ------------------------------------------------------------------------------------------------------

def models():
    return sorted(p.stem for p in (ROOT / "models").glob("*.lua"))


def comment_of(name):
    """The comment on top of a model, as one paragraph."""
    lines = []
    for line in (ROOT / f"models/{name}.lua").read_text().splitlines():
        if not line.startswith("--"):
            break
        lines.append(line[2:].strip())
    return " ".join(lines)


def title_of(name):
    match = re.search(r'^model *\(?"([^"]*)"', (ROOT / f"models/{name}.lua").read_text(), flags=re.M)
    return match.group(1) if match else name


def image(name, up, pictures, lazy=True):
    if not pictures:
        return ""
    return (f'<picture><source media="(prefers-reduced-motion: reduce)" srcset="{up}pictures/{name}-still.svg">'
            f'<img src="{up}pictures/{name}.svg" alt="{html.escape(title_of(name))} in motion" width="360" height="240"'
            f'{" loading=lazy" if lazy else ""}></picture>')


def card(name, text, pictures, playground, lazy):
    """A model in the gallery, in Markdown inside of HTML, so that links in the text are links."""
    links = [f'<a href="reports/{name}.html">{"Live report" if playground else "Report"}</a>'] if pictures else []
    if playground:
        links.append(f'<a href="{PLAYGROUND}#model={name}">Playground</a>')
    return (f'<div class="card" markdown="1">\n[{image(name, "", pictures, lazy)}<b>{name.replace("_", " ")}</b>](models/{name}.md)\n\n'
            f'{text}\n\n<div class="card-links">{" ".join(links)}</div>\n\n</div>\n')


def start(text, playground):
    """The first page, with ways into the site below its picture."""
    ways = [("models.html", "Gallery"), *([(PLAYGROUND, "Playground")] if playground else []), ("install.html", "Install"),
            ("guide/1-first-model.html", "Your first model")]
    buttons = " ".join(f'<a class="md-button{"" if i else " md-button--primary"}" href="{to}">{name}</a>' for i, (to, name) in enumerate(ways))
    return re.sub(r"(^!\[.*\]\(pictures/strip\.svg\)\n)", lambda match: f"{match[1]}\n{buttons}\n", text, count=1, flags=re.M)


def gallery(text, pictures, playground):
    """The page docs/models.md with cards instead of tables."""
    out, cards, seen = [], [], set()
    for line in text.splitlines() + [""]:
        row = MODEL_ROW.match(line)
        if row:
            names = re.findall(r"`([a-z0-9_]+)\.lua`", row.group(1))
            seen.update(names)
            cards += [card(name, row.group(2), pictures, playground, len(seen) > 9) for name in names]
            continue
        if line.startswith("| model |") or re.match(r"^\|---\|---\|$", line):
            continue
        if cards:
            out += ['<div class="gallery" markdown="1">\n', *cards, "</div>\n"]
            cards = []
        out.append(line)
    missing = set(models()) - seen
    if missing:
        raise SystemExit(f"docs/models.md has no line on {', '.join(sorted(missing))}")
    return "\n".join(out)


def model_page(name, pictures, playground):
    text = (ROOT / f"models/{name}.lua").read_text()
    button = '<a class="md-button {}" href="{}">{}</a>'
    report = "Open its live report" if playground else "The whole report"
    links = [button.format("md-button--primary", f"../reports/{name}.html", report)] if pictures else []
    if playground:
        links.append(button.format("", f"../{PLAYGROUND}#model={name}", "Change it in the playground"))
    links.append(button.format("", "../models.html", "All models"))
    figure = f'<div class="hero">{image(name, "../", pictures, lazy=False)}</div>\n\n' if pictures else ""
    if figure and re.search(r"^optimise", text, flags=re.M):
        figure += "The picture shows the optimum, the report the motion with the values of the script.\n\n"
    return (f"# {title_of(name)}\n\n{figure}{comment_of(name)}\n\n{' '.join(links)}\n\n"
            f"`saltus models {name}` writes a copy of this file, `saltus report {name}.lua` the page above.\n\n"
            f'```lua title="{name}.lua"\n{text}```\n')


def notebook_place(file):
    return f"notebooks/{pathlib.Path(file).stem}.md"


def notebook_page(file, pages):
    """The cells of a notebook, to read, with their figures; other outputs are made by whoever runs it."""
    text = ""
    for i, cell in enumerate(json.loads((ROOT / file).read_text())["cells"]):
        source = "".join(cell["source"])
        text += f"```python\n{source}\n```\n\n" if cell["cell_type"] == "code" else source + "\n\n"
        figure = f"{pathlib.Path(file).stem}-{i}.svg"
        if (pages / "notebooks" / figure).exists():
            text += f"![what the cell draws]({figure})\n\n"
    return text + f"[Download this notebook](../files/{file}) and open it with Jupyter: runs show themselves as animations there.\n"


def draw_notebooks(pages, build):
    """The figures of notebooks. They are made again if a notebook or the program is newer."""
    folder = pages / "notebooks"
    notebooks = [ROOT / f for f in tracked("python/notebooks") if f.endswith(".ipynb")]
    newest = max(p.stat().st_mtime for p in (*notebooks, build / "saltus"))
    figures = list(folder.glob("*.svg"))
    if figures and min(f.stat().st_mtime for f in figures) >= newest:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    environment = {**os.environ, "PYTHONPATH": str(build / "python"), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(["/usr/bin/python3", "-B", str(ROOT / "python/notebooks/execute.py"), "-o", str(folder), *map(str, notebooks)],
                          env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"notebooks failed:\n{done.stdout}{done.stderr}")


def draw(name, pages, build):
    """Picture and report of one model. They are made again if the model or the program is newer."""
    model, program = ROOT / f"models/{name}.lua", build / "saltus"
    newest = max(p.stat().st_mtime for p in (model, program, ROOT / "site/draw.py"))
    environment = {**os.environ, "PYTHONPATH": str(build / "python"), "PYTHONWARNINGS": "ignore"}
    drawing = ["/usr/bin/python3", "-B", str(ROOT / "site/draw.py"), str(model), "-o"]
    work = {pages / f"pictures/{name}.svg": drawing, pages / f"pictures/{name}-still.svg": [*drawing[:3], "--still", *drawing[3:]],
            pages / f"reports/{name}.html": [str(program), "report", str(model), "--force", "-o"]}
    for file, command in work.items():
        if not file.exists() or file.stat().st_mtime < newest:
            file.parent.mkdir(parents=True, exist_ok=True)
            done = subprocess.run([*command, str(file)], env=environment, capture_output=True, text=True)
            if not file.exists():
                raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return name


# ---- pages -------------------------------------------------------------------------------------------------------

def write(file, text):
    """Leaves a file alone that is right already."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists() or file.read_text() != text:
        file.write_text(text)


def tracked(top):
    """Files of the repository under a folder, without what a build left there."""
    found = subprocess.run(["git", "-C", str(ROOT), "ls-files", top], capture_output=True, text=True).stdout.split()
    if not found:  # not a checkout
        found = [str(p.relative_to(ROOT)) for p in (ROOT / top).rglob("*") if p.is_file()] if (ROOT / top).is_dir() else [top]
    return [f for f in found if (ROOT / f).exists()]


def copy_files(pages):
    for top in COPIED:
        files = tracked(top)
        for file in files:
            to = pages / "files" / file
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / file, to)
        for folder in {os.path.dirname(f) for f in files} - {""}:
            lines = [f"* [{os.path.relpath(f, folder)}]({os.path.relpath(f, folder)})" for f in files if f.startswith(folder + "/")]
            write(pages / "files" / folder / "index.md", f"# {folder}\n\n" + "\n".join(lines) + "\n")


def stage(pages, build, pictures):
    """Writes all pages of the site."""
    shutil.rmtree(pages / "files", ignore_errors=True)
    playground = build / "live/playground.html"
    has_playground = playground.exists()
    wanted = {}
    for file in tracked("docs"):
        if file.endswith(".md"):
            wanted[file] = (ROOT / file).read_text()
        else:
            to = pages / place_on_site(file)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / file, to)
    for file in PROJECT:
        if file.endswith(".md") and file != "README.md" and (ROOT / file).exists():
            wanted[file] = (ROOT / file).read_text()
    wanted["docs/models.md"] = gallery(wanted["docs/models.md"], pictures, has_playground)
    wanted["docs/index.md"] = start(wanted["docs/index.md"], has_playground)
    for file, text in wanted.items():
        head = f"---\nhide: {WIDE[file]}\n---\n" if file in WIDE else ""
        write(pages / place_on_site(file), head + rewrite_links(text, file))
    for name in models():
        write(pages / f"models/{name}.md", model_page(name, pictures, has_playground))
    for file in tracked("python/notebooks"):
        if file.endswith(".ipynb"):
            write(pages / notebook_place(file), notebook_page(file, pages))
    copy_files(pages)
    for file in ("style.css", "search.js"):
        shutil.copyfile(ROOT / "site" / file, pages / file)
    if has_playground:
        shutil.copyfile(playground, pages / PLAYGROUND)
    known = {pages / place_on_site(f) for f in wanted} | {pages / f"models/{n}.md" for n in models()}
    known |= {pages / notebook_place(f) for f in tracked("python/notebooks")}
    for file in pages.rglob("*.md"):  # pages that are gone
        if file not in known and (pages / "files") not in file.parents:
            file.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--without-pictures", action="store_true")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    output = (arguments.output or build / "site").resolve()
    pictures = not arguments.without_pictures
    pages = output.with_name(output.name + "-pages")
    pages.mkdir(parents=True, exist_ok=True)
    if pictures:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for i, name in enumerate(pool.map(lambda n: draw(n, pages, build), models()), 1):
                print(f"\rpictures and reports: {i} of {len(models())}  ", end="", flush=True, file=sys.stderr)
        print(file=sys.stderr)
        draw_notebooks(pages, build)
    stage(pages, build, pictures)
    environment = {**os.environ, "SALTUS_SITE_PAGES": str(pages), "SALTUS_SITE": str(output), "PYTHONPATH": str(ROOT / "site")}
    done = subprocess.run(["mkdocs", "build", "--strict", "--quiet", "-f", str(ROOT / "site/mkdocs.yml")], env=environment)
    if done.returncode == 0:
        print(f"{output}/index.html")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
