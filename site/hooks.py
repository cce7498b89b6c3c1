"""What MkDocs does beside its own work: anchors as on GitHub, and a search that works from a folder."""
import json
import pathlib
import re


def slug(text, separator):
    """The anchor that GitHub gives a heading, so that one link works there and on the site."""
    text = re.sub(r"<[^>]*>", "", text).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", separator)


def on_post_build(config):
    """A page opened as a file may not fetch the search index; as a script it may load it."""
    folder = pathlib.Path(config["site_dir"]) / "search"
    index = json.loads((folder / "search_index.json").read_text())
    text = json.dumps(index, separators=(",", ":"), ensure_ascii=False)
    (folder / "search_index.js").write_text(f"var __search = {{index: Promise.resolve({text})}};\n")
