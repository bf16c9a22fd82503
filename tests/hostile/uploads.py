"""Hostile uploads, a function for each family: what is sent as a file to the dashboard, the API and the command line.

FAMILIES is the table; every file is made by code, the same each time. `canary` is the path of a file of the server's
that no upload may read: its words are CANARY_WORDS.
"""

from __future__ import annotations

import gzip
import io
import json
import random
import stat
import tarfile
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, Final

from tests.hostile.archives import (
    PACKERS,
    SKILL,
    lying_zip,
    nested,
    overlapping_zip,
    packed_stream,
    tar_with_link,
    tarred,
    zip_bomb,
    zip_with_link,
    zipped,
)
from tests.hostile.payloads import CONTROLS, FILE_NAMES, FORMULAS, MARK, MARKUP, NUMBERS, OUTSIDE, SQL

CANARY_WORDS: Final = "the-words-that-no-upload-may-read-4711"


@dataclass(frozen=True, slots=True)
class Upload:
    """One file: its family, what is special about it, the name it is sent under, and its bytes."""

    family: str
    label: str
    file_name: str
    data: bytes


type Named = tuple[str, str, bytes | Callable[[], bytes]]
"""Label, name of the file, bytes; or what makes them, where that takes long."""


def dumped(value: object, *, escaped: bool = False) -> bytes:
    return json.dumps(value, ensure_ascii=escaped).encode("utf-8", "surrogatepass")


def talk(content: Any = "How deep is the harbour?", **more: Any) -> dict[str, Any]:
    """A conversation of one question and its answer."""
    return {
        "model": "gpt-4o",
        "messages": [{"role": "user", "content": content}, {"role": "assistant", "content": "12 m."}],
        **more,
    }


def skill(name: str, description: str, body: str = "Look at the tide table.") -> bytes:
    return f"---\nname: {name}\ndescription: {description}\n---\n{body}\n".encode("utf-8", "surrogatepass")


def tool(name: str, description: str = "Measures.", **parameters: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": parameters or {"at": {"type": "string", "description": description}}}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


def zip_bombs(_canary: str) -> Iterator[Named]:
    for megabytes, entries in ((30, 1), (150, 1), (300, 1), (20, 12)):
        yield f"{entries} x {megabytes} MB of zeros", "bomb.zip", partial(zip_bomb, megabytes, entries)
    for entries, megabytes in ((30, 10), (2000, 1), (20_000, 1)):
        yield f"{entries} entries over one kernel", "overlap.zip", partial(overlapping_zip, entries, megabytes)
    for kind, fill in product(("gz", "bz2", "xz"), (b"\0", b"a b ", b"[[],[]],")):
        for megabytes in (30, 210):
            make = partial(packed_stream, megabytes, fill, kind)
            yield f"{megabytes} MB of {fill!r} as {kind}", f"bomb.json.{kind}", make
    empty = [(f"skills/s{number}/SKILL.md", b"") for number in range(30_000)]
    yield "30,000 empty entries", "many.zip", partial(zipped, empty)
    yield "one name 2,000 times", "same.zip", partial(zipped, [("skills/s/SKILL.md", SKILL)] * 2_000)
    for said in (0, 1, 4_294_967_295):
        yield f"says {said} bytes", "lying.zip", lying_zip(said)
    for level in range(1, 6):
        yield f"a bomb in {level} archives", f"bomb{'.zip' * level}", partial(_bomb_within, level)
    yield "a tar of 40 MB in gz", "bomb.tgz", lambda: gzip.compress(tarred([("talk.json", bytes(40_000_000))]), mtime=0)


def _bomb_within(level: int) -> bytes:
    return nested(["zip"] * level, "bomb", zip_bomb(30))[1]


def nested_archives(_canary: str) -> Iterator[Named]:
    good = dumped(talk())
    for first, second in product(PACKERS, PACKERS):
        yield f"{first} in {second}", *nested((first, second), "talk.json", good)
    for kind in ("zip", "gz", "tgz"):
        for depth in (5, 20, 60):
            yield f"{depth} x {kind}", *nested([kind] * depth, "talk.json", good)


def paths_in_archives(_canary: str) -> Iterator[Named]:
    for number, name in enumerate(FILE_NAMES):
        for inside, data in ((name, dumped(talk(f"From path {number}."))), (f"{name}/SKILL.md", SKILL)):
            yield f"zip, {inside[:40]!r}", "paths.zip", zipped([(inside, data), ("skills/harbour/SKILL.md", SKILL)])
        yield f"tar, {name[:40]!r}", "paths.tar", tarred([(name, dumped(talk(f"From tar {number}.")))])


def links_in_archives(canary: str) -> Iterator[Named]:
    targets = (canary, "../" * 12 + canary.lstrip("/"), "/etc/passwd", "/dev/zero", "/proc/self/environ", ".", "link")
    kinds = {"link": stat.S_IFLNK, "pipe": stat.S_IFIFO, "device": stat.S_IFCHR, "socket": stat.S_IFSOCK}
    for target in targets:
        for name in ("skills/link/SKILL.md", "link", "talk.json"):
            yield f"zip, {name} to {target[-20:]}", "links.zip", zip_with_link(name, target)
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE):
            yield f"tar, {kind!r} to {target[-20:]}", "links.tar", tar_with_link("skills/link/SKILL.md", target, kind)
    for name, kind in kinds.items():
        yield f"zip, a {name}", "links.zip", zip_with_link("skills/odd/SKILL.md", canary, kind)
    for kind in (tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.DIRTYPE):
        yield f"tar, type {kind!r}", "links.tar", tar_with_link("skills/odd/SKILL.md", "", kind)


def names_of_uploads(_canary: str) -> Iterator[Named]:
    for number, name in enumerate((*FILE_NAMES, *MARKUP[:12], *FORMULAS[:6], *CONTROLS[:20], *SQL)):
        yield f"named {name[:40]!r}", name, dumped(talk(f"File number {number}."))


def deep_documents(_canary: str) -> Iterator[Named]:
    for depth in (100, 999, 10_000, 100_000, 500_000):
        yield f"{depth} lists", "deep.json", b"[" * depth + b"]" * depth
        yield f"{depth} open lists", "deep.json", b"[" * depth
        yield f"{depth} objects", "deep.json", b'{"messages":' * depth + b"1" + b"}" * depth
    for depth in (100, 999, 10_000, 100_000):
        nest = "[" * depth + "]" * depth
        body = json.dumps(talk("DEEP")).replace('"DEEP"', nest)
        yield f"content {depth} deep", "deep.json", body.encode()
        arguments = {"name": "look", "arguments": nest}
        call = {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": arguments}]}
        yield f"arguments {depth} deep", "deep.json", dumped({"messages": [{"role": "user", "content": "x"}, call]})
        schema = '{"properties":{"a":' * depth + "{}" + "}}" * depth
        definition = json.dumps([tool("look")]).replace('"object"', '"object","deep":' + schema)
        yield f"schema {depth} deep", "tools.json", definition.encode()
        yield f"line {depth} deep", "deep.jsonl", dumped(talk()) + b"\n" + nest.encode() + b"\n"
        yield f"YAML {depth} deep", "s.zip", zipped([("s/SKILL.md", skill("deep", "[" * depth + "]" * depth))])
        quotes = (">" * depth + " " + MARK).encode()
        yield f"{depth} quotes of Markdown", "deep.md", b"## User\n\n" + quotes + b"\n\n## Assistant\n\nYes.\n"


def numbers(_canary: str) -> Iterator[Named]:
    plain = [number for number in NUMBERS if "\0" not in number]
    for number in plain:
        usage = '{"prompt_tokens":N,"completion_tokens":N,"total_tokens":N}'
        for place, text in {
            "created": '{"created":N,"messages":[{"role":"user","content":"x","created":N}]}',
            "usage": f'{{"usage":{usage},"messages":[{{"role":"user","content":"x"}}]}}',
            "content": '{"messages":[{"role":"user","content":N}]}',
        }.items():
            yield f"{place} {number[:20]!r}", "numbers.json", text.replace("N", number).encode()
        yield f"score {number[:20]!r}", "chunks.json", f'[{{"text":"a chunk","score":{number}}}]'.encode()
    for keys in ('"role":"user","role":"system"', '"content":"a","content":["b"]', '"__proto__":{"role":"user"}'):
        yield f"keys {keys[:30]}", "keys.json", f'{{"messages":[{{{keys},"role":"user","content":"x"}}]}}'.encode()
    yield "one key 100,000 times", "keys.json", b'{"messages":[{' + b'"role":"user",' * 100_000 + b'"content":"x"}]}'
    yield "100,000 keys", "keys.json", dumped({**talk(), **{f"{MARK}{number}": number for number in range(100_000)}})
    yield "a million values", "values.json", b"[" + b"0," * 1_000_000 + b"0]"


def encodings(_canary: str) -> Iterator[Named]:
    texts = {
        "talk.json": dumped(talk("Grüße aus Kraków \U0001f9e8")),
        "talk.md": "## User\n\nGrüße \U0001f9e8\n".encode(),
    }
    for name, data in texts.items():
        text = data.decode()
        for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "utf-7", "utf-8-sig"):
            yield f"{name} in {encoding}", name, text.encode(encoding)
        for mark in (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf\xef\xbb\xbf", b"\x00", b"\x2b\x2f\x76\x38"):
            yield f"{name} after {mark!r}", name, mark + data
    broken = (b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\xe2\x82", b"\x80" * 40, b"\xf0\x9f\xa7")
    for sequence in broken:
        for name, data in texts.items():
            yield f"{name} with {sequence[:6]!r}", name, data.replace(b"\xc3\xbc", sequence)
        yield f"cut at {sequence[:6]!r}", "talk.txt", b"User: one\nAssistant: two " + sequence
    for lone in ("\\ud800", "\\udfff", "\\ud83d", "\\ud800\\ud800", "\\u0000", "\\uffff", "\\udc80" * 300):
        for place in ("content", "role", "name"):
            message = f'{{"role":"user","content":"a","{place}":"{MARK}{lone}"}}'
            yield f"{place} {lone[:14]}", "surrogates.json", f'{{"messages":[{message}]}}'.encode()
        named = json.dumps([tool("NAME")]).replace("NAME", lone)
        yield f"tool {lone[:14]}", "tools.json", named.encode()
        session = f'{{"title":"{lone}","messages":[{{"role":"user","content":"x"}}]}}'
        yield f"title {lone[:14]}", "talk.json", session.encode()


def controls(_canary: str) -> Iterator[Named]:
    for sign in (*CONTROLS, f"{MARK}\0end"):
        data = dumped([{"role": "user", "content": sign}, tool(sign)], escaped=True)
        yield f"message and tool {sign[:12]!r}", "signs.json", data
        yield f"skill {sign[:12]!r}", "s.zip", zipped([("skills/a/SKILL.md", skill(sign, sign, sign))])


def markup(_canary: str) -> Iterator[Named]:
    for number, text in enumerate(MARKUP):
        yield f"message {number}", "talk.json", dumped(talk(text))
        yield f"title {number}", "chat.json", dumped([{**talk(text), "title": text, "id": text}])
        call = {"id": text, "type": "function", "function": {"name": text, "arguments": json.dumps({text: text})}}
        said = [{"role": "user", "content": "x"}, {"role": "assistant", "content": text, "tool_calls": [call]}]
        said.append({"role": "tool", "tool_call_id": text, "name": text, "content": text})
        yield f"call {number}", "calls.json", dumped({"model": text, "messages": said, "tools": [tool(text, text)]})
        names = [("skills/a/SKILL.md", skill(json.dumps(text), json.dumps(text), text))]
        yield f"skill {number}", "skills.zip", zipped([*names, (f"skills/{text}/SKILL.md", SKILL)])
        yield f"chunk {number}", "chunks.json", dumped([{"id": text, "text": text, "source": text, "score": 0.5}])
        yield f"spec {number}", "spec.md", f"# {text}\n\nFeature: {text}\n\n## Keywords\n\n- {text}\n".encode()
    said = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": text}}]} for text in MARKUP]
    yield "addresses of pictures", "pictures.json", dumped({"messages": said})


def formulas(_canary: str) -> Iterator[Named]:
    for number, text in enumerate(FORMULAS):
        said = [{"role": "user", "content": text, "name": text}, {"role": "assistant", "content": text}]
        yield f"message {number}", f"{text[:60]}.json", dumped({"messages": said, "tools": [tool(text, text)]})
        yield f"chunk {number}", "chunks.json", dumped([{"id": text, "text": text, "source": text}])
        yield f"skill {number}", "skills.zip", zipped([("s/a/SKILL.md", skill(json.dumps(text), json.dumps(text)))])


def yaml(canary: str) -> Iterator[Named]:
    laughs = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{','.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(12)
    )
    maps = "a: &a {x: 1}\n" + "".join(f"b{n}: &b{n} {{<<: [*{'a' if not n else f'b{n - 1}'}]}}\n" for n in range(200))
    fronts = {
        "aliases": laughs,
        "merges": maps,
        "a cycle": "a: &a [*a]\n",
        "a cycle of maps": "a: &a\n  b: *a\n",
        "python": f"x: !!python/object/apply:os.system ['touch {OUTSIDE}']\n",
        "python new": f"x: !!python/object/new:subprocess.Popen [['touch','{OUTSIDE}']]\n",
        "a module": f"x: !!python/module:{MARK}\n",
        "a file": f"x: !include {canary}\n",
        "binary": "x: !!binary " + "A" * 40_000 + "\n",
        "a set": "x: !!set {a, b, [c]}\n",
        "a key that is a list": "? [a, b]\n: c\n",
        "a date": "x: 2026-99-99\n",
        "another date": "x: 0000-00-00T00:00:00Z\n",
        "sixty": "x: " + "1:" * 4000 + "1\n",
        "a large number": "x: " + "9" * 100_000 + "\n",
        "hex": "x: 0x" + "f" * 100_000 + "\n",
        "not a number": "x: .nan\ny: -.inf\n",
        "two documents": "x: 1\n---\ny: 2\n",
        "directives": "%YAML 9.9\n%TAG ! tag:x,2000:\n",
        "100,000 keys": "".join(f"k{number}: {number}\n" for number in range(100_000)),
        "100,000 anchors": "".join(f"k{number}: &a{number} 1\n" for number in range(20_000)),
        "a tab": "x:\t1\n\ty: 2\n",
        "blanks": " " * 200_000 + "x: 1\n",
        "quotes": "x: '" + "''" * 100_000 + "'\n",
        "a folded text": "x: >\n" + " a\n" * 50_000,
        "a comment": "#" * 500_000 + "\n",
        "brackets": "x: " + "{a: " * 5_000 + "1" + "}" * 5_000 + "\n",
        "dashes": "- " * 20_000 + "\n",
        "questions": "? " * 20_000 + "\n",
    }
    for label, front in fronts.items():
        document = f"---\nname: harbour\ndescription: Knows it.\n{front}---\nBody.\n".encode()
        yield f"skill with {label}", "skills.zip", zipped([("skills/a/SKILL.md", document), ("b/SKILL.md", SKILL)])
        yield f"Markdown with {label}", "spec.md", document


ONE_SIGN: Final = (
    *("a", " ", "\t", "\n", "\u00a0", "\u3000", "\U0001f9e8", "\u200d", "\u0301", "\u0345\u0334", "\u202e", "\u017f y"),
    *(
        "0",
        "{",
        "[",
        "\\",
        '"',
        "'",
        "<",
        "&",
        "*",
        "`",
        "#",
        "-",
        "_",
        "|",
        "~",
        "\u4e2d",
        "\u0e33",
        "\r\n",
        "\ufffd",
        "zq",
        "zQ",
    ),
)


def one_sign(_canary: str) -> Iterator[Named]:
    for sign in ONE_SIGN:
        text = sign * (1_000_000 // len(sign.encode()))
        yield f"1 MB of {sign!r} in a message", "long.json", dumped(talk(text))
        yield f"1 MB of {sign!r} after a letter", "long.txt", f"User: x{text}\u017f y\nAssistant: yes\n".encode()


def patterns(_canary: str) -> Iterator[Named]:
    times = 60_000
    units = {
        "speakers": "User: ",
        "lines of speakers": "User:\n",
        "both speakers": "User: a\nAssistant: b\n",
        "headings": "## User\n",
        "marks of headings": "#" * 6 + " ",
        "fences": "```\n",
        "open fences": "```a",
        "dashes": "---\n",
        "tables": "| a ",
        "links": "[a](",
        "brackets": "[",
        "tags": "<a ",
        "closing tags": "</",
        "comments": "<!--",
        "addresses": "a@",
        "sites": "http://a.",
        "telephones": "+49 30 ",
        "base64": "QUJD",
        "keys": "api_key = ",
        "a variable": "A_PASSWORD=",
        "private keys": "-----BEGIN PRIVATE KEY-----\n",
        "tokens": "eyJhbGciOi.",
        "numbers": "1.1",
        "slashes": "/a",
        "backslashes": "\\\\",
        "quotes": '"a',
        "templates": "{{",
        "turns": "<|im_start|>user\n",
        "ends": "<|endoftext|>",
        "human": "\n\nHuman: ",
        "times": "[12:00] a: b\n",
        "dates": "2026-01-01 ",
    }
    for label, unit in units.items():
        text = unit * (times * 6 // len(unit))
        yield f"text of {label}", "pattern.txt", text.encode()
        yield f"Markdown of {label}", "pattern.md", f"## User\n\n{text}!\n\n## Assistant\n\nYes.\n".encode()
        yield f"message of {label}", "pattern.json", dumped(talk(f"{text}!"))


def broken_files(canary: str) -> Iterator[Named]:
    dice = random.Random(4711)
    good = dumped(talk())
    heads = {
        "PDF": b"%PDF-1.7\n",
        "PNG": b"\x89PNG\r\n\x1a\n",
        "ELF": b"\x7fELF",
        "gzip": b"\x1f\x8b\x08",
        "zip": b"PK\x03\x04",
        "end of a zip": b"PK\x05\x06" + bytes(18),
        "xz": b"\xfd7zXZ\0",
        "bzip2": b"BZh9",
        "SQLite": b"SQLite format 3\0",
        "Parquet": b"PAR1",
        "Arrow": b"ARROW1\0\0",
        "pickle": b"\x80\x04\x95",
        "7z": b"7z\xbc\xaf\x27\x1c",
        "rar": b"Rar!\x1a\x07",
    }
    for label, head in heads.items():
        yield f"only the head of {label}", f"{label}.bin", head
        yield f"{label} and noise", f"{label}.json", head + dice.randbytes(20_000)
        yield f"{label} before a conversation", "talk.json", head + good
    yield "Parquet from both ends", "rows.parquet", b"PAR1" + dice.randbytes(5_000) + b"\xff\xff\xff\x7fPAR1"
    yield "noise", "noise.bin", dice.randbytes(200_000)
    entity = f'<!DOCTYPE x [<!ENTITY e SYSTEM "file://{canary}">]><svg xmlns="http://www.w3.org/2000/svg">&e;</svg>'
    yield "an entity that is a file", "entity.svg", entity.encode()
    yield (
        "entities of entities",
        "laughs.xml",
        (
            '<!DOCTYPE x [<!ENTITY a "a">' + "".join(f'<!ENTITY b{n} "&a;&a;&a;">' for n in range(50)) + "]><x>&b9;</x>"
        ).encode(),
    )
    yield "a reference to a file", "reference.json", dumped({"$ref": f"file://{canary}", **talk()})
    for cut in range(1, len(good), len(good) // 12):
        yield f"cut after {cut} bytes", "cut.json", good[:cut]
    lines = io.BytesIO()
    for number in range(40_000):
        lines.write(b'{"role":"user","content":"%d"}\n' % number if number % 2 else b"{\n")
    yield "20,000 broken lines", "lines.jsonl", lines.getvalue()
    yield "100,000 blank lines", "blank.jsonl", b"\n" * 100_000 + good


FAMILIES: Final[Mapping[str, Callable[[str], Iterator[Named]]]] = {
    "bombs": zip_bombs,
    "nested archives": nested_archives,
    "paths in archives": paths_in_archives,
    "links in archives": links_in_archives,
    "names of uploads": names_of_uploads,
    "deep documents": deep_documents,
    "numbers and keys": numbers,
    "encodings": encodings,
    "control characters": controls,
    "markup": markup,
    "formulas": formulas,
    "YAML": yaml,
    "1 MB of one sign": one_sign,
    "patterns": patterns,
    "broken files": broken_files,
}


def uploads(canary: str, *, every: int = 1, families: Collection[str] = ()) -> Iterator[Upload]:
    """The uploads of every family, or of those named; with `every`, the first and then each so many-th of each."""
    for family, make in FAMILIES.items():
        if families and family not in families:
            continue
        for number, (label, file_name, data) in enumerate(make(canary)):
            if number % every == 0:
                yield Upload(family, f"{number} {label}", file_name, data if isinstance(data, bytes) else data())
