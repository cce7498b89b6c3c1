"""Checks a built site: check.py SITE. Every page is in the navigation, every link and anchor leads somewhere, nothing is
loaded from elsewhere. Prints what is wrong; the exit status is 1 if anything is."""
import html.parser
import pathlib
import re
import sys
import urllib.parse

LOADED = {("script", "src"), ("link", "href"), ("img", "src"), ("source", "srcset"), ("iframe", "src")}
REACHED_OTHERWISE = ("models/", "files/", "404")  # from the gallery, from pages


class Page(html.parser.HTMLParser):
    """Links, anchors and what a page loads."""

    def __init__(self, file):
        super().__init__()
        self.links, self.anchors, self.loaded = [], set(), []
        self.feed(file.read_text())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.anchors |= {attributes[k] for k in ("id", "name") if attributes.get(k)}
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        canonical = attributes.get("rel") in ("canonical", "prev", "next")
        self.loaded += [attributes[k] for t, k in LOADED if t == tag and attributes.get(k) and not canonical]


def target(page, site, link):
    """File and anchor that a link of a page leads to; None if it leaves the site."""
    parts = urllib.parse.urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    path = urllib.parse.unquote(parts.path)
    file = (page.parent / path).resolve() if path else page
    return (file / "index.html" if file.is_dir() else file), urllib.parse.unquote(parts.fragment)


def main():
    site = pathlib.Path(sys.argv[1]).resolve()
    pages = {f: Page(f) for f in sorted(site.rglob("*.html")) if "reports" not in f.relative_to(site).parts
             and f.name != "try.html"}
    wrong = []
    for file, page in pages.items():
        here = file.relative_to(site)
        for link in page.links if here.name != "404.html" else []:
            found = target(file, site, link)
            if found is None:
                continue
            to, anchor = found
            if not to.exists():
                wrong.append(f"{here}: the link '{link}' leads nowhere")
            elif anchor and to in pages and anchor not in pages[to].anchors:
                wrong.append(f"{here}: there is no anchor '{anchor}' in {to.relative_to(site)}")
        for link in page.loaded:
            found = target(file, site, link)
            if found is None and not link.startswith("data:"):
                wrong.append(f"{here}: '{link}' is loaded from elsewhere")
            elif found and here.name != "404.html" and not found[0].exists():
                wrong.append(f"{here}: '{link}' is not there")
    navigation = (pathlib.Path(__file__).parent / "mkdocs.yml").read_text().partition("\nnav:")[2]
    listed = {m.replace(".md", ".html") for m in re.findall(r": (\S+\.md)$", navigation, flags=re.M)}
    for file in pages:
        name = str(file.relative_to(site))
        if name not in listed and not name.startswith(REACHED_OTHERWISE):
            wrong.append(f"{name}: is not in the navigation (nav in site/mkdocs.yml)")
    print("\n".join(wrong) if wrong else f"{len(pages)} pages, {sum(len(p.links) for p in pages.values())} links")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
