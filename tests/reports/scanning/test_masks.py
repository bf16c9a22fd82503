"""What is kept of a scan of a report, and what is masked in it."""

from __future__ import annotations

import base64
import itertools
import json

import pytest

from budgeteer.reports.kinds.packing import PACKED
from budgeteer.reports.kinds.workspace_parts import place_in_document
from budgeteer.reports.scanning.findings import MOST_FINDS, findings_of, values_of
from budgeteer.reports.scanning.masks import masked
from budgeteer.scanning import scan
from budgeteer.scanning.scan import scan_document, strings_of
from tests.reports.documents import sample_document
from tests.scanning.test_rules import AWS, GITHUB
from tests.scanning.test_scan import KEY


def document_with(*texts: str) -> dict[str, object]:
    prompt = [{"id": f"p{at}", "role": "user", "fate": "kept", "text": text} for at, text in enumerate(texts)]
    return sample_document(prompt=prompt)


def test_a_scan_that_takes_too_long_ends_and_says_so():
    times = itertools.count(step=scan.MOST_SECONDS)
    result = scan_document(document_with(AWS), clock=lambda: next(times))
    assert not result.is_whole
    told = findings_of(result, sample_document(), PACKED.placed(sample_document()))
    assert told == {"isWhole": False, "more": 0, "finds": []}


def test_a_scan_ends_after_so_many_values_and_says_so():
    addresses = [f"s{at}@quay.harbour.org" for at in range(scan.MOST_VALUES + 2)]
    enough = scan_document(document_with(*addresses[: scan.MOST_VALUES]))
    assert (len(enough.finds), enough.is_whole) == (scan.MOST_VALUES, True)
    for document in (document_with(*addresses), document_with("\n".join(addresses))):
        result = scan_document(document)
        assert (len(result.finds), result.is_whole) == (scan.MOST_VALUES, False)
        kept = findings_of(result, document, PACKED.placed(document))
        assert (len(kept["finds"]), kept["more"]) == (MOST_FINDS, scan.MOST_VALUES - MOST_FINDS)


def test_what_is_kept_holds_no_value_and_names_item_and_line():
    document = document_with("first\n" + f"token {GITHUB} here")
    document["packing"]["decisions"][0] |= {"id": "p0", "name": f"m1 {GITHUB}"}
    kept = findings_of(scan_document(document), document, PACKED.placed(document))
    [find] = kept["finds"]
    assert GITHUB not in str(kept)
    assert (find["kind"], find["start"], find["chars"], find["count"]) == ("GitHub token", "ghp_", 40, 2)
    assert {"item": "Part 1 of the prompt: m1 [masked: GitHub token]", "line": 2} in find["places"]
    assert values_of(kept, document, [0]) == {GITHUB: "GitHub token"}
    assert values_of(kept, document, []) == {}


def test_nothing_found_is_nothing_to_decide():
    assert findings_of(scan_document(sample_document()), sample_document(), place_in_document) is None


def test_a_masked_value_is_nowhere_and_everything_else_stays():
    document = document_with(f"a {AWS} b {AWS}", "plain")
    document["packing"]["decisions"][0]["name"] = f"m1 export {AWS[:9]}…"
    document["config"]["skillsBudget"]["policies"] = {AWS: "off"}
    result = masked(document, {AWS: "AWS key"})
    assert AWS[:9] not in str(result)
    assert result["prompt"][0]["text"] == "a [masked: AWS key] b [masked: AWS key]"
    assert result["packing"]["decisions"][0]["name"] == "m1 export [masked: AWS key]…"
    assert result["masks"] == [{"kind": "AWS key", "places": 4}]
    changed = {path for path, text in strings_of(document) if AWS[:9] in text}
    after = dict(strings_of(result))
    assert all(after[path] == text for path, text in strings_of(document) if path not in changed and AWS not in path)
    assert AWS in str(document)


def test_of_two_values_the_longer_one_is_masked_first():
    result = masked(document_with("x-secret-y and secret"), {"secret": "b", "x-secret-y": "a"})
    assert result["prompt"][0]["text"] == "[masked: a] and [masked: b]"


CLAIMS = base64.urlsafe_b64encode(json.dumps({"sub": "ada", "scope": "quay " * 250}).encode()).decode().rstrip("=")
TOKEN = f"eyJhbGciOiJIUzI1NiJ9.{CLAIMS}.c2lnbmF0dXJl"


@pytest.mark.parametrize("secret", [json.dumps(KEY)[1:-1], TOKEN], ids=["key", "token"])
@pytest.mark.parametrize("end", [", more", " [cut]" + ", more " * 9_000], ids=["short", "longer than a batch"])
def test_a_long_secret_is_found_and_wholly_masked_wherever_a_long_line_is_cut(secret, end):
    assert len(secret) > 1_600
    for before in range(0, 60 * 71, 71):
        document = document_with(json.dumps({"a": "x " * before})[:-1] + f', "secret": "{secret}"{end}')
        kept = findings_of(scan_document(document), document, PACKED.placed(document))
        [find] = kept["finds"]
        assert find["count"] == 1
        text = masked(document, values_of(kept, document, [0]))["prompt"][0]["text"]
        assert not any(secret[at : at + 20] in text for at in range(11, len(secret) - 31))
