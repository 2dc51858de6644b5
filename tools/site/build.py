#!/usr/bin/env python3
"""Builds the site of the project's pages with MkDocs: the guide in its order, a search that asks no other server, diagrams drawn
from the code's own lists, and the reference if it is there. Then follows every link of what came out.

usage: build.py ROOT OUT MKDOCS-PROGRAM [REFERENCE]     OUT/html is the site; REFERENCE: a folder of HTML, from reference.sh
"""
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```$|^(?:    )[^\n]*$|`[^`\n]*`", re.S | re.M)


def pages_of(root):
    pages = [root / name for name in ("README.md", "HACKING.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")]
    for folder in ("docs", "examples"):
        pages += sorted((root / folder).rglob("*.md"))
    return pages


def floors(root):
    """The rooms by floor, from the table of the check that keeps them."""
    text = (root / "tools/check_layers.py").read_text()
    table = eval(re.search(r"^FLOORS = (\{.*?^\})", text, re.S | re.M)[1], {"__builtins__": {}})  # a literal of ours
    return [[room for room, at in table.items() if at == floor] for floor in range(max(table.values()) + 1)]


def floors_svg(rows):
    """The house: the lowest floor at the bottom, and an include goes down or stays."""
    width, height, gap = 900, 34, 6
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {len(rows) * (height + gap)}" role="img" '
           'aria-label="The rooms of the library by floor" font-family="sans-serif" font-size="14">']
    for floor, rooms in enumerate(rows):
        y = (len(rows) - 1 - floor) * (height + gap)
        each = (width - 40) / len(rooms)
        out.append(f'<text x="12" y="{y + 22}" fill="#666">{floor}</text>')
        for at, room in enumerate(rooms):
            x = 40 + at * each
            out.append(f'<rect x="{x:.1f}" y="{y}" width="{each - gap:.1f}" height="{height}" rx="4" fill="#e8f0fa" stroke="#6b8cb5"/>'
                       f'<text x="{x + each / 2 - gap / 2:.1f}" y="{y + 22}" text-anchor="middle" fill="#123">{room}</text>')
    return "\n".join([*out, "</svg>\n"])


def chain_svg(what, boxes):
    """Boxes from left to right, each of which leads to the next; below each its words."""
    each, height = 180, 34
    width = each * len(boxes)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height + 4}" role="img" aria-label="{what}" '
           'font-family="sans-serif" font-size="14">']
    for at, box in enumerate(boxes):
        x = at * each + 2
        out.append(f'<rect x="{x}" y="2" width="{each - 30}" height="{height}" rx="4" fill="#e8f0fa" stroke="#6b8cb5"/>'
                   f'<text x="{x + (each - 30) / 2}" y="24" text-anchor="middle" fill="#123">{box}</text>')
        if at + 1 < len(boxes):
            out.append(f'<path d="M{x + each - 28} {height / 2 + 2} h22 m-7 -5 l7 5 l-7 5" fill="none" stroke="#6b8cb5"/>')
    return "\n".join([*out, "</svg>\n"])


def scopes(root):
    """The line of docs/cancellation.md that says whose stop ends whose."""
    line = re.search(r"^    (process → .*)$", (root / "docs/cancellation.md").read_text(), re.M)[1]
    return [one.strip() for one in line.split("→")]


def states_svg(root):
    """What an informer may be in, from the reflector's own list, which says when."""
    text = (root / "include/kcontrol/watch/reflector_fsm.hpp").read_text()
    states = re.findall(r"^    (\w+), +///< (.*)$", re.search(r"enum class reflector_state \{(.*?)\};", text, re.S)[1], re.M)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 {len(states) * 40}" role="img" '
           'aria-label="The states of an informer" font-family="sans-serif" font-size="14">']
    for at, (name, when) in enumerate(states):
        out.append(f'<rect x="2" y="{at * 40 + 2}" width="140" height="32" rx="4" fill="#e8f0fa" stroke="#6b8cb5"/>'
                   f'<text x="72" y="{at * 40 + 23}" text-anchor="middle" fill="#123">{name}</text>'
                   f'<text x="156" y="{at * 40 + 23}" fill="#333">{when}</text>')
    return "\n".join([*out, "</svg>\n"])


# A picture of the site, the page that has it, and the heading before which it stands.
PICTURES = [("floors.svg", "HACKING.md", "## Where a change goes", "The rooms by floor"),
            ("stop.svg", "docs/cancellation.md", "## Start and stop", "Whose stop ends whose"),
            ("states.svg", "docs/informers.md", "## ", "The states of an informer, and when it is in them")]


class copier:
    """Pages and pictures go along; a link to anything else of the source tree becomes its words."""

    def __init__(self, root, to):
        self.root, self.to, self.pages = root, to, set(pages_of(root))

    def copy(self):
        for page in sorted(self.pages):
            text = page.read_text()
            code = [match.span() for match in CODE.finditer(text)]
            inside = lambda at: any(begin <= at < end for begin, end in code)
            text = LINK.sub(lambda m: m[0] if inside(m.start()) else self.link(page, m), text)
            where = page.relative_to(self.root)
            for picture, of, heading, says in PICTURES:
                if of == str(where):
                    up = os.path.relpath(picture, where.parent)
                    text = text.replace(f"\n{heading}", f"\n![{says}]({up})\n\n{heading}", 1)
            self.write(where, text)
        for picture in sorted((self.root / "docs").rglob("*.png")):  # some are named in HTML
            copy = self.to / picture.relative_to(self.root)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(picture, copy)
        (self.to / "floors.svg").write_text(floors_svg(floors(self.root)))
        (self.to / "stop.svg").write_text(chain_svg("Whose stop ends whose", scopes(self.root)))
        (self.to / "states.svg").write_text(states_svg(self.root))
        (self.to / "site.css").write_text((HERE / "site.css").read_text())

    def write(self, where, text):
        (self.to / where).parent.mkdir(parents=True, exist_ok=True)
        (self.to / where).write_text(text)

    def link(self, page, match):
        where = match[3].partition("#")[0]
        if not where or "://" in where or where.startswith("mailto:"):
            return match[0]
        target = (page.parent / where).resolve()
        if target in self.pages:
            return match[0]
        if target.suffix == ".png":
            return match[0]
        return match[2]


def navigation(root):
    """The guide in its order, then what it does not name."""
    guide = (root / "docs/guide.md").read_text()
    seen = ["docs/guide.md"]
    for found in re.findall(r"\]\(([\w./]+\.md)\)", guide):
        path = os.path.normpath(f"docs/{found}")
        if path not in seen and (root / path).exists():
            seen.append(path)
    rest = [str(page.relative_to(root)) for page in pages_of(root)]
    in_docs = [path for path in seen if path.startswith("docs/")]
    return [{"kcontrol": "README.md"}, {"Guide": in_docs},
            {"More": [path for path in rest if path not in in_docs and path != "README.md"]}]


def write_config(root, out, reference):
    # JSON is YAML; but a slugify function has a tag of Python's, which JSON has not.
    config = {"site_name": "kcontrol", "docs_dir": str(out / "src"), "site_dir": str(out / "html"), "use_directory_urls": False,
              "theme": {"name": "readthedocs", "highlightjs": False, "navigation_depth": 2}, "plugins": ["search"],
              "extra_css": ["site.css"], "nav": navigation(root), "validation": {"links": {"anchors": "warn"}}}
    if reference:
        config["nav"].append({"Reference": "/reference/index.html"})
        config["validation"]["nav"] = {"absolute_links": "ignore"}
    toc = "markdown_extensions: [tables, fenced_code, {toc: {slugify: !!python/name:slugs.github , permalink: true}}]\n"
    (out / "mkdocs.yml").write_text("\n".join(f"{key}: {json.dumps(value)}" for key, value in config.items()) + "\n" + toc)


class reader(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.names, self.links, self.loads = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        of = dict(attributes)
        self.names |= {of[key] for key in ("id", "name") if of.get(key)}
        if tag == "a" and of.get("href"):
            self.links.append(of["href"])
        for key in ("src", "href"):
            if tag in ("script", "link", "img") and of.get(key):
                self.loads.append(of[key])


def broken_links(site):
    """What leads nowhere, and what would be loaded from elsewhere. The reference's own pages are Doxygen's matter."""
    read = {page: reader(page.read_text()) for page in site.rglob("*.html") if "reference" not in page.parts}
    for page, one in read.items():
        for link in one.links + one.loads:
            if re.match(r"[a-z]+:|//", link):
                if link in one.loads and not link.startswith("data:"):
                    yield f"{page.relative_to(site)} loads {link} from elsewhere"
                continue
            path, _, anchor = urllib.parse.unquote(link).partition("#")
            path = path.partition("?")[0]
            target = (site / path.lstrip("/") if path.startswith("/") else page.parent / path).resolve() if path else page
            if target.is_dir():
                target /= "index.html"
            if not target.exists():
                yield f"{page.relative_to(site)}: there is no {link}"
            elif anchor and target in read and anchor not in read[target].names:
                yield f"{page.relative_to(site)}: {target.name} has no #{anchor}"


def main():
    root, out, program = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    reference = pathlib.Path(sys.argv[4]) if len(sys.argv) > 4 else None
    shutil.rmtree(out, ignore_errors=True)
    (out / "src").mkdir(parents=True)
    copier(root, out / "src").copy()
    write_config(root, out, reference)
    subprocess.run([program, "build", "--quiet", "--strict", "--config-file", out / "mkdocs.yml"], check=True,
                   env={**os.environ, "PYTHONPATH": str(HERE)})
    if reference:
        shutil.copytree(reference, out / "html/reference")
    broken = sorted(set(broken_links(out / "html")))
    print("\n".join(broken) or f"{len(list((out / 'html').rglob('*.html')))} pages in {out / 'html'}")
    sys.exit(bool(broken))


if __name__ == "__main__":
    main()
