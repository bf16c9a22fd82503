"""Photograph every page of the dashboard: one command, a stack of its own, 1440 and 390 px, light and dark.

    scripts/screenshots.py [FOLDER] [--only NAME …] [--widths 1280 320] [--files FILE …]
    scripts/screenshots.py --gallery

Starts `budgeteer serve` over a temporary data folder, fills it as the browser's tests do (tests/browser/filled.py), and
saves `<page>-<width>-<theme>.png` into FOLDER (a temporary one unless named). Needs Chromium (CHROMIUM names another).
`--files` drops files of one's own on the first page and takes every view of that workspace too, as `own-<view>`.
`--gallery` writes docs/gallery.md with small pictures of the pages named in GALLERY instead.
"""

from __future__ import annotations

import argparse
import base64
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Browser, Page, expect, sync_playwright  # noqa: E402 - the root comes first

from budgeteer.workbench.state import PanelName  # noqa: E402
from tests.browser.filled import fill  # noqa: E402
from tests.browser.stack import Stack, running_stack  # noqa: E402
from tests.browser.steps import drop, open_sample, wait_until_packed  # noqa: E402
from tests.conftest import CHROMIUM_FLAGS  # noqa: E402
from tests.formats.shapes import Session, text_block, use_block  # noqa: E402
from tests.servers import chromium_program  # noqa: E402

WIDTHS = (1440, 390)
THEMES = ("light", "dark")
HEIGHTS = {1440: 1024, 1280: 800, 1024: 768, 720: 450, 390: 844, 320: 640}
WORK_MS = 90_000


#: Pages that are looked at without an account.
SIGNED_OUT = frozenset({"report-locked", "sign-in"})

#: What the gallery shows, in its order: the page's name and the line above its pictures.
GALLERY = {
    "home": "The first page: drop files, or open a sample",
    "workbench-map": "What is big, and what became of it",
    "workbench-messages": "What happened to every message",
    "workbench-item": "Why one item went, and what would keep it",
    "workbench-timeline": "When it overflows",
    "workbench-sweep": "What budget is enough",
    "workbench-prompt": "What is sent",
    "workbench-range": "A range of messages on its way to a summary",
    "workbench-features": "What a search of the specs finds, and what it costs beside loading all",
    "workbench-skills": "A library of skills within its limit",
    "workbench-config": "The configuration as text",
    "report-full": "A shared report",
}
GALLERY_PAGE = ROOT / "docs" / "gallery.md"
GALLERY_FOLDER = ROOT / "docs" / "images" / "gallery"
QUALITY = 0.6
MOST_BYTES = 60_000

#: A picture as WebP, cut to about one screen, made smaller by the browser itself.
_AS_WEBP = """async ([png, quality]) => {
  const picture = new Image();
  picture.src = `data:image/png;base64,${png}`;
  await picture.decode();
  const canvas = document.createElement("canvas");
  const scale = Math.min(1, 1080 / picture.width);
  canvas.width = picture.width * scale;
  canvas.height = Math.min(picture.height, Math.max(0.72 * picture.width, 844)) * scale;
  canvas.getContext("2d").drawImage(picture, 0, 0, picture.width * scale, picture.height * scale);
  return canvas.toDataURL("image/webp", quality).split(",")[1];
}"""


@dataclass(frozen=True, slots=True)
class Shot:
    """One page to photograph. `whole` takes it in full length; `dialog` is opened before."""

    name: str
    path: str
    whole: bool = True
    dialog: str = ""
    signed_out: bool = False


def main(arguments: list[str]) -> int:
    """Take the pictures; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, help="where the pictures go")
    parser.add_argument("--only", nargs="*", default=[], help="names of pages, the others are left out")
    parser.add_argument("--widths", nargs="+", type=int, default=list(WIDTHS), help="other widths than 1440 and 390")
    parser.add_argument("--files", nargs="+", type=Path, default=[], help="files of one's own to open as well")
    parser.add_argument("--gallery", action="store_true", help="write docs/gallery.md and its pictures")
    asked = parser.parse_args(arguments)
    program = chromium_program()
    if program is None:
        print("Chromium is not installed. Run `make deps`, or let CHROMIUM name the program.", file=sys.stderr)
        return 2
    if asked.gallery:
        asked.only = list(GALLERY)
    folder = asked.folder or Path(tempfile.mkdtemp(prefix="budgeteer-pictures-"))
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="budgeteer-shots-") as data,
        running_stack(Path(data)) as stack,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=str(program), args=CHROMIUM_FLAGS)
        for picture in photograph(browser, stack, folder, asked):
            print(picture)
        if asked.gallery:
            write_gallery(browser, folder)
        browser.close()
    return 0


def photograph(browser: Browser, stack: Stack, folder: Path, asked: argparse.Namespace) -> Iterator[Path]:
    """Every picture, as it is written."""
    first = browser.new_context(viewport={"width": 1440, "height": 900})
    page = first.new_page()
    page.goto(stack.sign_in_link)
    prepared = prepare(page, stack.address, asked.files)
    shots = [shot for shot in prepared if not asked.only or shot.name in asked.only]
    state = first.storage_state()
    first.close()
    for width in asked.widths:
        for theme in THEMES:
            context = browser.new_context(
                viewport={"width": width, "height": HEIGHTS.get(width, 900)},
                color_scheme=theme,  # type: ignore[arg-type]  # one of the two
                storage_state=state,
                reduced_motion="reduce",
            )
            page = context.new_page()
            for shot in sorted(shots, key=lambda shot: shot.signed_out):
                if shot.signed_out:
                    context.clear_cookies()
                target = folder / f"{shot.name}-{width}-{theme}.png"
                take(page, stack.address, shot, target)
                yield target
            context.close()


def prepare(page: Page, address: str, files: list[Path]) -> list[Shot]:
    """Fill the dashboard; the pages there are then."""
    page.goto(address)
    filled = fill(page, address).pages
    agent = filled["workbench-map"].split("?")[0]
    page.goto(address)
    open_sample(page, "A large tool catalogue")
    tools = page.url.removeprefix(address).split("?")[0]
    rich = upload_report(page, address)
    block = compress(page, address)
    over = does_not_fit(page, address)
    applied = plan_applied(page, address)
    own = open_files(page, address, files) if files else ""
    filled["workbench-item"] += "#inspect"  # as the links of the list lead there: on a phone a part of its own
    return [
        *(
            Shot(name, path, whole=not name.startswith(("workbench-", "report-prompt")), signed_out=name in SIGNED_OUT)
            for name, path in filled.items()
        ),
        *(Shot(f"own-{name}", f"{own}?view={name}", whole=False) for name in PanelName if own),
        Shot("source-report", rich),
        Shot("workbench-sweep-input", f"{agent}?view=sweep&over=inputBudget", whole=False),
        Shot("workbench-block", block, whole=False),
        Shot("workbench-tools", tools, whole=False),
        Shot("workbench-over", f"{over}?view=map", whole=False),
        Shot("workbench-over-prompt", f"{over}?view=prompt", whole=False),
        Shot("workbench-over-fit", f"{over}?view=fit", whole=False),
        Shot("workbench-over-bar", f"{over}?view=map", whole=False, dialog="#bar-table-toggle"),
        Shot("workbench-bar", agent, whole=False, dialog="#bar-table-toggle"),
        Shot("workbench-export", agent, whole=False, dialog="#export-toggle"),
        Shot("workbench-fit-applied", f"{applied}?view=fit", whole=False),
        Shot("workbench-inputs", f"{agent}#inputs", whole=False),
        Shot("workbench-form", f"{agent}#config", whole=False),
        Shot("share-dialog", agent, whole=False, dialog="#share"),
        Shot("admin", "/admin/"),
        Shot("admin-preset", "/admin/presets/preset/1/change/"),
        Shot("admin-accounts", "/admin/auth/user/"),
        Shot("admin-jobs", "/admin/jobs/job/"),
        Shot("sources-add", "/sources/", dialog="details.add > summary"),
        Shot("form-address", "/w/new/"),
    ]


def open_files(page: Page, address: str, files: list[Path]) -> str:
    """A workspace over files of one's own, with its plan, replay and sweep made; its path."""
    page.goto(address)
    drop(page, *files)
    wait_until_packed(page)
    path = page.url.removeprefix(address).split("?")[0]
    for view, there in (("timeline", "svg.chart"), ("sweep", "svg.chart"), ("fit", "#fit-verdict, .empty")):
        page.goto(f"{address}{path}?view={view}")
        expect(page.locator(there).first).to_be_visible(timeout=WORK_MS)
    return path


def upload_report(page: Page, address: str) -> str:
    """Paste a session whose import report has something of everything; the path of its source."""
    session = Session()
    session.user("u1", "Plan the harbour: how deep must the basin be?")
    first = session.assistant("a1", text_block("I look at the charts."), message_id="m1")
    session.assistant("a2", use_block("t1"), message_id="m1")
    session.result("r1", "t1", "12 m at low water. " * 40)
    search = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "draught"}}
    session.assistant("a3", search, message_id="m2")
    session.assistant("a4", text_block("Fourteen metres, with two under the keel."), message_id="m3")
    session.last = first
    session.user("u2", "Rather begin with the crane")
    session.assistant("a5", text_block("A crane of forty tonnes on the north quay."), message_id="m4")
    session.other("summary", summary="A harbour")
    for mode in ("plan", "code", "plan"):
        session.other("mode", mode=mode)
    bad = b'{"type":"user","message":{"role":"user","content":"cut of\n{"uuid": nothing}\n'
    page.goto(f"{address}/sources/")
    page.locator("details.add > summary").click()
    page.locator("textarea[name='text']").fill((session.data + bad).decode())
    page.get_by_role("button", name="Import sources").click()
    expect(page.locator("#import-report")).to_be_visible(timeout=WORK_MS)
    return page.url.removeprefix(address)


def compress(page: Page, address: str) -> str:
    """Another copy of the agent session with one range compressed and its block selected; the path."""
    page.goto(address)
    page.get_by_role("button", name=re.compile("agent session", re.IGNORECASE)).click()
    expect(page.locator("#share")).to_be_visible(timeout=WORK_MS)
    workspace = page.url.split("?")[0]
    page.goto(f"{workspace}?view=messages&start=127&end=134&sel=")
    page.locator("#generate-block").click()
    expect(page.locator("#block-summary")).not_to_have_value("", timeout=WORK_MS)
    page.locator("#make-block").click()
    expect(page.locator("#range-bar")).to_have_count(0)
    page.locator(".msgs tr", has=page.locator(".c-id", has_text="b1")).locator("a").first.click()
    expect(page.locator("#save-block")).to_be_visible()
    return page.url.removeprefix(address)


def does_not_fit(page: Page, address: str) -> str:
    """Another copy of the agent session whose largest result is pinned in a window that is too small; the path."""
    page.goto(address)
    open_sample(page, "agent session")
    workspace = page.url.split("?")[0]
    page.goto(f"{workspace}?view=map")
    page.locator(".items tbody .c-name a").first.click()
    page.locator("#pin").click()
    expect(page.locator("#pin")).to_contain_text("Unpin")
    page.locator("#i-model").select_option("gpt-4")
    expect(page.locator("#verdict")).to_contain_text("Does not fit")
    page.goto(f"{workspace}?view=fit")
    expect(page.locator("#fit-verdict")).to_be_visible(timeout=WORK_MS)
    return workspace.removeprefix(address)


def plan_applied(page: Page, address: str) -> str:
    """The same with its plan applied; the path."""
    path = does_not_fit(page, address)
    page.locator("#apply-plan").click()
    expect(page.locator("#verdict")).to_contain_text("Fits")
    page.goto(f"{address}{path}?view=fit")
    expect(page.locator("#fit-verdict, .empty").first).to_be_visible(timeout=WORK_MS)
    return path


def take(page: Page, address: str, shot: Shot, target: Path) -> None:
    """One picture."""
    page.goto("about:blank")  # else an address that differs in its fragment alone would load nothing
    page.goto(address + shot.path)
    page.wait_for_load_state("networkidle")
    if shot.dialog:
        page.locator(shot.dialog).click()
        page.wait_for_load_state("networkidle")
        page.wait_for_timeout(300)
    page.screenshot(path=str(target), full_page=shot.whole)


def write_gallery(browser: Browser, folder: Path) -> None:
    """The gallery's page and its pictures, from the pictures in `folder`; a picture that is too large is coarser."""
    GALLERY_FOLDER.mkdir(parents=True, exist_ok=True)
    page = browser.new_page()
    lines = ["# Gallery", "", "The main views on a wide and on a narrow screen, light and dark, over the samples."]
    lines += ["`scripts/screenshots.py --gallery` takes all of these pictures anew."]
    for name, title in GALLERY.items():
        lines += ["", f"## {title}", ""]
        for width in WIDTHS:
            for theme in THEMES:
                stem = f"{name}-{width}-{theme}"
                png = base64.b64encode((folder / f"{stem}.png").read_bytes()).decode()
                quality, small = QUALITY, b""
                while not small or (len(small) > MOST_BYTES and quality > 0.1):
                    small = base64.b64decode(page.evaluate(_AS_WEBP, [png, quality]))
                    quality -= 0.1
                (GALLERY_FOLDER / f"{stem}.webp").write_bytes(small)
                lines.append(f"![{title}, {width} pixels wide, {theme}](images/gallery/{stem}.webp)")
    GALLERY_PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    page.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
