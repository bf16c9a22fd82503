from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from budgeteer.engine.packing.ledger import CATEGORIES
from budgeteer.presentation.bar import (
    BREAK_PX,
    GAP_PX,
    LEAST_PX,
    VARIANTS,
    WINDOW_SHARE,
    BarFigures,
    Share,
    draw_bar,
    draw_bars,
    legend_of,
    pieces_of,
    spread,
)
from budgeteer.presentation.header import figures_of
from tests.engine.packs import assistant, bundle_of, packed, user

TOKENS = st.integers(min_value=0, max_value=3_000_000)
LETTERS = "".join(CATEGORIES)


@st.composite
def figures(draw: st.DrawFn) -> BarFigures:
    shares = tuple(Share(letter, name, draw(TOKENS), draw(TOKENS)) for letter, name in CATEGORIES.items())
    window = draw(st.integers(min_value=100, max_value=2_000_000))
    reserve = draw(st.integers(min_value=0, max_value=window - 1))
    budget = draw(st.integers(min_value=0, max_value=window - reserve))
    limit = draw(st.integers(min_value=0, max_value=budget))
    return BarFigures(shares, window, budget, limit, reserve, draw(st.none() | st.floats(0, 100)))


@given(figures())
def test_the_pieces_add_up_to_the_window_and_all_that_goes_past_it(bar: BarFigures) -> None:
    sent = sum(share.sent_tokens for share in bar.shares)
    not_sent = sum(share.not_sent_tokens for share in bar.shares)
    domain = bar.window + max(0, sent - bar.limit) + not_sent
    assert sum(piece.tokens for piece in pieces_of(bar)) == domain


@given(figures())
def test_categories_stand_in_the_same_order_before_and_after_the_line(bar: BarFigures) -> None:
    pieces = pieces_of(bar)
    for kind in ("sent", "over", "notSent"):
        letters = [LETTERS.index(piece.letter) for piece in pieces if piece.kind == kind]
        assert letters == sorted(letters)
    kinds = ["sent", "free", "margin", "reserve", "unusable", "over", "notSent"]
    places = [kinds.index(piece.kind) for piece in pieces]
    assert places == sorted(places)


@given(st.lists(st.integers(min_value=1, max_value=10**7), min_size=1, max_size=24), st.sampled_from([288.0, 1168.0]))
def test_no_segment_is_thinner_than_the_least_and_all_fill_the_width(weights: list[int], width: float) -> None:
    widths = spread(weights, width_px=width)
    assert min(widths) >= LEAST_PX - 1e-9
    assert abs(sum(widths) + GAP_PX * (len(weights) - 1) - width) < 1e-6


@given(figures())
def test_segments_of_every_drawing_stand_beside_each_other(bar: BarFigures) -> None:
    for drawing, variant in zip(draw_bar(bar).drawings, VARIANTS, strict=True):
        at = 0.0
        for segment in drawing.segments:
            if drawing.break_at and segment.x > at + 1e-6:
                assert abs(segment.x - variant.width_px * WINDOW_SHARE - BREAK_PX) < 1e-6
                at = segment.x
            assert abs(segment.x - at) < 1e-6
            at = segment.x + segment.width + GAP_PX
        assert at - GAP_PX <= variant.width_px + 1e-6


@given(figures())
def test_the_axis_texts_never_overlap(bar: BarFigures) -> None:
    for drawing, variant in zip(draw_bar(bar).drawings, VARIANTS, strict=True):
        spans = []
        for text in drawing.axis:
            if text.y != 50:
                continue
            at = float(text.at.rstrip("%")) / 100 * variant.width_px
            width = len(text.text) * 6.55
            start = {"start": at, "middle": at - width / 2, "end": at - width}[text.anchor]
            spans.append((start, start + width))
        spans.sort()
        assert all(left[1] <= right[0] for left, right in pairwise(spans))


@given(figures())
def test_the_warning_tick_crosses_no_label(bar: BarFigures) -> None:
    for drawing, variant in zip(draw_bar(bar).drawings, VARIANTS, strict=True):
        if drawing.threshold_at is None:
            continue
        tick = float(drawing.threshold_at.rstrip("%")) / 100 * variant.width_px
        for segment in drawing.segments:
            if segment.anchor == "start" and segment.label:
                start = float(segment.label_at.rstrip("%")) / 100 * variant.width_px + float(segment.label_dx)
                end = start + len(segment.label) * 6.55
                assert not start <= tick <= end
                assert end <= segment.x + segment.width


def test_free_room_that_the_warning_crosses_keeps_its_number() -> None:
    said = set()
    for sent in range(60_000, 100_000, 500):
        shares = (Share("X", "Tool results", sent, 81_811),)
        medium = draw_bar(BarFigures(shares, 128_000, 123_904, 123_904, 4_096, 80)).drawings[1]
        free = next(segment for segment in medium.segments if segment.piece.kind == "free")
        said.add(free.label.partition(" ")[2] or free.label[-1:])
        assert free.label or free.width < 110, sent
    assert {"free", "k"} <= said


def test_the_margin_and_the_reserve_are_both_named_where_there_is_room() -> None:
    left_out = (Share("X", "Tool results", 65_648, 44_168),)
    wide = draw_bar(BarFigures(left_out, 200_000, 195_904, 186_108, 4_096, 80)).drawings[0]
    assert "margin 9,796" in [text.text for text in wide.axis]  # the hatch beside the line, where both do not fit
    shares = (Share("X", "Tool results", 55_648, 0),)
    for drawing in draw_bar(BarFigures(shares, 128_000, 100_000, 60_000, 28_000, 80)).drawings:
        assert "margin 40,000 · reserve 28,000" in [text.text for text in drawing.axis]
    beyond = draw_bar(BarFigures(shares, 400_000, 272_000, 272_000, 4_096, 80))  # its input may take 272,000 at most
    both, widest = "reserve 4,096 · not for input 123,904", "not for input 123,904"
    for drawing, said in zip(beyond.drawings, (both, widest, both), strict=True):
        assert said in [text.text for text in drawing.axis]
    without = draw_bar(BarFigures(shares, 128_000, 100_000, 100_000, 28_000, 80)).drawings[0]
    assert "reserve 28,000" in [text.text for text in without.axis]


def test_what_is_kept_past_the_limit_is_filled_and_named_at_the_line() -> None:
    shares = (Share("T", "Tools", 2_031, 0), Share("X", "Tool results", 30_211, 130_831))
    picture = draw_bar(BarFigures(shares, 8_192, 6_144, 6_144, 2_048, 80))
    for drawing in picture.drawings:
        past = [segment for segment in drawing.segments if segment.piece.kind == "over"]
        assert [(segment.css, segment.is_solid, segment.piece.tokens) for segment in past] == [
            ("fX past", True, 26_098)
        ]
        assert any(text.text == "limit 6,144 · 26,098 over" and text.tone == "o" for text in drawing.axis)
    assert all(segment.is_solid == (segment.piece.kind in {"sent", "over"}) for segment in picture.drawings[0].segments)
    assert ("over", "X", "Tool results past the limit", "26,098") in [
        (row.kind, row.letter, row.text, row.tokens) for row in picture.rows
    ]


def test_the_warning_is_named_where_the_limit_stands_over_its_tick() -> None:
    shares = (Share("X", "Tool results", 81_472, 81_811),)
    for window, budget in ((128_000, 123_904), (200_000, 186_108), (400_000, 272_000)):
        for drawing in draw_bar(BarFigures(shares, window, budget, budget, 4_096, 80)).drawings[:2]:
            told = [text.text for text in drawing.axis]
            assert any(text.startswith("80 %") for text in told), told
            assert f"limit {budget:,}" in told
            assert any("not sent" in text for text in told)


def test_the_warning_is_named_beside_the_limit() -> None:
    shares = (Share("X", "Tool results", 81_472, 81_811),)
    wide = draw_bar(BarFigures(shares, 128_000, 123_904, 123_904, 4_096, 80)).drawings[0]
    assert {"80 % warning 99,123", "limit 123,904", "reserve 4,096"} <= {text.text for text in wide.axis}


def test_what_is_sent_past_the_limit_is_drawn_past_the_line() -> None:
    shares = (Share("S", "System", 900, 0), Share("X", "Tool results", 300, 50))
    kinds = [
        (piece.kind, piece.letter, piece.tokens) for piece in pieces_of(BarFigures(shares, 1200, 1000, 1000, 200, 80))
    ]
    assert kinds == [
        ("sent", "S", 900),
        ("sent", "X", 100),
        ("reserve", "", 200),
        ("over", "X", 200),
        ("notSent", "X", 50),
    ]


def test_the_table_beside_the_bar_holds_the_same_numbers() -> None:
    shares = (Share("K", "Skills", 1_000, 500),)
    picture = draw_bar(BarFigures(shares, 10_000, 9_000, 8_000, 1_000, 80))
    assert [(row.text, row.tokens) for row in picture.rows] == [
        ("Skills sent", "1,000"),
        ("Free", "7,000"),
        ("Safety margin", "1,000"),
        ("Reserve for the reply", "1,000"),
        ("Skills not sent", "500"),
    ]
    assert [(part.title, part.total) for part in picture.parts] == [("Context window", "10,000"), ("Not sent", "500")]
    assert picture.sentence == "1,000 tokens are sent, the limit is 8,000; 1,500 were requested."


def test_an_empty_prompt_is_all_free() -> None:
    picture = draw_bar(BarFigures((), 1_000, 900, 900, 100, None))
    assert [segment.piece.kind for segment in picture.drawings[0].segments] == ["free", "reserve"]
    assert picture.drawings[0].threshold_at is None


@given(figures())
def test_the_scale_is_broken_only_where_the_window_would_have_less_than_its_share(bar: BarFigures) -> None:
    inside = sum(p.tokens for p in pieces_of(bar) if p.kind in {"sent", "free", "margin", "reserve", "unusable"})
    is_broken = inside < WINDOW_SHARE * sum(piece.tokens for piece in pieces_of(bar))
    for drawing, variant in zip(draw_bar(bar).drawings, VARIANTS, strict=True):
        assert bool(drawing.break_at) is is_broken
        window = [s for s in drawing.segments if s.piece.kind in {"sent", "free", "margin", "reserve", "unusable"}]
        behind = max(segment.x + segment.width for segment in window)
        assert behind >= variant.width_px * WINDOW_SHARE - 60  # the gaps between thin pieces belong to both sides
        if is_broken:
            assert abs(behind - variant.width_px * WINDOW_SHARE) < 1e-6


def test_a_prompt_that_leaves_most_out_keeps_its_window_readable() -> None:
    shares = (Share("S", "System", 12_000, 0), Share("H", "History", 150_000, 1_700_000))
    bar = BarFigures(shares, 200_000, 190_000, 180_000, 10_000, 80)
    picture = draw_bar(bar)
    assert [drawing.limit_at for drawing in picture.drawings] != [None] * 3
    assert all(float(str(drawing.break_at).rstrip("%")) > 40 for drawing in picture.drawings)
    assert all(float(drawing.limit_at.rstrip("%")) > 34 for drawing in picture.drawings)
    assert legend_of([picture]).has_break
    fewer = replace(bar, shares=(Share("S", "System", 12_000, 0), Share("H", "History", 150_000, 900_000)))
    a, b = draw_bars([bar, fewer])
    for one, two in zip(a.drawings, b.drawings, strict=True):
        assert (one.limit_at, one.break_at) == (two.limit_at, two.break_at)
        longest, shorter = (drawing.segments[-1] for drawing in (one, two))
        assert longest.left == shorter.left
        assert abs(shorter.width / longest.width - 900 / 1_700) < 0.01


@given(figures())
def test_under_a_bar_without_labels_stand_the_limit_and_what_is_left_out(bar: BarFigures) -> None:
    not_sent = sum(share.not_sent_tokens for share in bar.shares)
    for drawing in draw_bar(bar).drawings:
        said = [label.text for label in drawing.ends]
        over = sum(share.sent_tokens for share in bar.shares) - bar.limit
        limit, limit_over = f"limit {bar.limit:,}", f"limit {bar.limit:,} · {over:,} over"
        assert said[0] == limit or (over > 0 and said[0] == limit_over)
        assert said[1:] in ([f"{not_sent:,} not sent"] if not_sent else [], [])
        assert not said[1:] or (drawing.ends[-1].at, drawing.ends[-1].anchor) == ("100.000%", "end")


@given(figures(), st.integers(min_value=0, max_value=200_000), st.integers(min_value=0, max_value=9))
def test_bars_beside_each_other_have_equal_limits_at_one_place(bar: BarFigures, more: int, fewer: int) -> None:
    shares = (*bar.shares[fewer:], Share("O", "Message overhead", 0, more))
    other = replace(bar, shares=shares)
    a, b = draw_bars([bar, other])
    for one, two in zip(a.drawings[:2], b.drawings[:2], strict=True):  # on a phone there may be no room for the gaps
        places = [float(drawing.limit_at.rstrip("%")) for drawing in (one, two)]
        if min(places) > 20 and max(places) < 80:
            assert abs(places[0] - places[1]) < 0.01


def test_bars_beside_each_other_are_labelled_alike() -> None:
    both = [
        BarFigures(
            (Share("S", "System", 10_400, 0), Share("X", "Tool results", sent, left)),
            128_000,
            98_000,
            98_000,
            30_000,
            80,
        )
        for sent, left in ((71_000, 81_811), (64_000, 120_000))
    ]
    alone = [[re.sub(r"[\d,]+", "#", text.text) for text in draw_bar(bar).drawings[1].axis] for bar in both]
    beside = [[re.sub(r"[\d,]+", "#", text.text) for text in bar.drawings[1].axis] for bar in draw_bars(both)]
    assert alone[0] != alone[1]
    assert beside[0] == beside[1]


def test_a_label_of_a_hatch_begins_below_it() -> None:
    for sent, left in ((71_000, 81_811), (64_000, 120_000), (40_000, 300_000)):
        for reserve in (4_096, 16_000, 30_000):
            limit = 128_000 - reserve
            shares = (Share("X", "Tool results", sent, left),)
            for drawing in draw_bar(BarFigures(shares, 128_000, limit, limit, reserve, 80)).drawings[:2]:
                hatch = next(one for one in drawing.segments if one.piece.kind == "reserve")
                for text in drawing.axis:
                    if text.text.startswith("reserve"):
                        ends = float(hatch.left.rstrip("%")) + float(hatch.span.rstrip("%"))
                        assert float(text.at.rstrip("%")) < ends


def test_a_legend_names_what_its_bars_show_and_nothing_else() -> None:
    shares = (Share("S", "System", 5_000, 0), Share("X", "Tool results", 4_000, 3_000))
    found = legend_of([draw_bar(BarFigures(shares, 128_000, 123_904, 123_904, 4_096, 80))])
    assert found.categories == (("S", "System"), ("X", "Tool results"))
    assert (found.held, found.has_threshold, found.has_unsent) == ("reserve for the reply", True, True)
    empty = legend_of([draw_bar(BarFigures((Share("S", "System", 50, 0),), 1_000, 1_000, 1_000, 0, None))])
    assert (empty.categories, empty.held, empty.has_threshold, empty.has_unsent) == (
        (("S", "System"),),
        "",
        False,
        False,
    )


def test_a_section_that_the_limit_cuts_is_labelled_with_all_of_it() -> None:
    """What stands before the line is no more than a part: its label alone would pass for the section's size."""
    shares = (Share("S", "System", 9_200, 0),)
    wide = draw_bar(BarFigures(shares, 8_192, 6_144, 6_144, 2_048, 80, "cannotFit")).drawings[0]
    before, _, past = wide.segments
    assert before.label == "S System 6.1k of 9.2k"
    assert past.label.endswith("3.1k of 9.2k")
    assert before.title.startswith("System 6,144 of 9,200")
    whole = draw_bar(BarFigures((Share("S", "System", 5_000, 0),), 8_192, 6_144, 6_144, 2_048, 80)).drawings[0]
    assert whole.segments[0].label == "S System 5.0k"


def test_what_a_summary_stands_for_is_told_apart_from_what_is_left_out() -> None:
    shares = (Share("X", "Tool results", 40_000, 90_000, trimmed_tokens=10_000, summarised_tokens=60_000),)
    figures = BarFigures(shares, 128_000, 100_000, 100_000, 28_000, 80)
    pieces = {piece.kind: piece for piece in pieces_of(figures)}
    assert [pieces[kind].tokens for kind in ("trimmed", "summarised", "notSent")] == [10_000, 60_000, 20_000]
    picture = draw_bar(figures)
    (segment,) = [one for one in picture.drawings[0].segments if one.piece.kind == "summarised"]
    assert (segment.fill, segment.label) == ("url(#stripes-X)", "Σ Tool results 60.0k")
    assert segment.title == "Tool results 60,000 summarised"
    assert legend_of([picture]).has_summarised


def test_a_prompt_whose_older_messages_are_summarised_has_nothing_left_out_in_its_bar() -> None:
    talk = [one for turn in range(8) for one in (user(f"Question {turn}. " * 40), assistant(f"Answer {turn}. " * 40))]
    config = {"history": {"strategy": "summarizeOlder", "maxChars": 2_000, "keepUserTurns": 1}}
    packing = packed(bundle_of(*talk), config)
    assert packing.verdict.counts["summarised"]
    assert not packing.verdict.counts["dropped"]
    kinds = {(piece.kind, piece.letter) for piece in pieces_of(figures_of(packing)) if piece.letter != "O"}
    assert kinds & {("summarised", "U"), ("summarised", "A")}
    assert not {letter for kind, letter in kinds if kind == "notSent"}
