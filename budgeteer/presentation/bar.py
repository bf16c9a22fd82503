"""The stacked budget bar as numbers a template can print: one linear domain, laid out at a nominal width.

The domain is the context window plus what was not sent, so that the reserve stands between the limit line and the
overflow. Where the window is a small share of the domain the scale is broken behind it: what is past the window stands
on a scale of its own. Shapes are laid out in pixels at a nominal width and printed in percent, so the picture stretches
while its text does not. Rules (gap, least width, text fitting, the break) are the design's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from budgeteer.engine.packing.ledger import CATEGORIES, DRAWN
from budgeteer.engine.packing.verdict_text import Level
from budgeteer.presentation.bar_labels import (
    ALL_DETAIL,
    CHAR_PX,
    CLEAR_PX,
    VARIANTS,
    AxisText,
    LabelDetail,
    Marks,
    Variant,
    axis_texts,
    end_texts,
    percent,
    shared_detail,
)
from budgeteer.presentation.labels import short_count
from budgeteer.presentation.sent_words import SENT_WORDS

type PieceKind = Literal["sent", "free", "margin", "reserve", "unusable", "over", "trimmed", "summarised", "notSent"]

GAP_PX = 2.0
LEAST_PX = 0.8
LABEL_PX = 6.0  # before and behind a label
LETTER_PX = 13.0  # the least width that still takes one letter
WINDOW_SHARE = 0.4  # the least share of the width that the context window has; the scale is broken to keep it
BREAK_PX = 16.0  # the mark of a broken scale with its room

_WITHIN = frozenset({"sent", "free"})
"""The kinds of pieces before the limit."""

_FILLED = frozenset({"sent", "over"})
"""The kinds of pieces that are sent, or would be: what may not be left out is kept past the limit as well."""

_HELD_BACK = frozenset({"margin", "reserve", "unusable"})
"""The kinds of pieces that are hatched: nothing may be sent there."""

KIND_WORDS = {
    "over": " past the limit",
    "trimmed": " lost by shortening",
    "summarised": " summarised",
    "notSent": " not sent",
}
_MARKS: Mapping[PieceKind, str] = {"trimmed": "✂", "summarised": "Σ", "notSent": "⊘"}
"""What stands before the name of what is not sent, as the design has it."""

HELD_BACK_NAMES = {
    "free": "Free",
    "margin": "Safety margin",
    "reserve": "Reserve for the reply",
    "unusable": "Beyond the model's maximum input",
}


@dataclass(frozen=True, slots=True)
class Share:
    """What one category sends and does not send, in tokens.

    Of the latter, `trimmed` is what items lost that are sent, `summarised` what stands in a summary.
    """

    letter: str
    name: str
    sent_tokens: int
    not_sent_tokens: int
    trimmed_tokens: int = 0
    summarised_tokens: int = 0

    @property
    def left_out_tokens(self) -> int:
        """What of it is neither lost by what is sent nor in a summary."""
        return self.not_sent_tokens - self.trimmed_tokens - self.summarised_tokens


@dataclass(frozen=True, slots=True)
class BarFigures:
    """What the bar is drawn from; all in tokens.

    Attributes:
        shares: by category, in the engine's drawing order; overhead is part of a share.
        window: the context window.
        input_budget: the most that may be sent.
        limit: the input budget less the safety margin: where the line stands.
        reserve: held back for the reply.
        threshold_percent: where the warning tick stands, in percent of the limit; None when warnings are off.
        level: the verdict: what does not fit is not sent, and its pieces say what would be.
    """

    shares: tuple[Share, ...]
    window: int
    input_budget: int
    limit: int
    reserve: int
    threshold_percent: float | None
    level: Level = "fits"


@dataclass(frozen=True, slots=True)
class BarPiece:
    """One stretch of the domain, in tokens; `words` say what becomes of it, behind its name or its figure.

    `of_tokens` is all that is sent of a category that the limit cuts in two, 0 for a piece that is all of it.
    """

    kind: PieceKind
    letter: str
    name: str
    tokens: int
    words: str = ""
    of_tokens: int = 0


@dataclass(frozen=True, slots=True)
class BarSegment:
    """A piece with its place. `x` and `width` in pixels at the nominal width, `left` and `span` as percent strings."""

    piece: BarPiece
    x: float
    width: float
    left: str
    span: str
    label: str
    label_at: str
    label_dx: str
    anchor: str

    @property
    def title(self) -> str:
        """What hovering says: `Tools 15,989 not sent`, `System 6,100 of 9,200 past the limit`."""
        of_all = f" of {self.piece.of_tokens:,}" if self.piece.of_tokens else ""
        return f"{self.piece.name} {self.piece.tokens:,}{of_all}{self.piece.words}"

    @property
    def css(self) -> str:
        """The classes of its shape."""
        if self.is_solid:
            return f"f{self.piece.letter}{' past' if self.piece.kind == 'over' else ''}"
        if self.piece.kind in {"trimmed", "notSent"}:
            return f"ds k{self.piece.letter}"
        if self.piece.kind == "summarised":
            return f"k{self.piece.letter}"
        return "held" if self.fill else "bx"

    @property
    def fill(self) -> str:
        """The pattern it is filled with, "" when its class says all."""
        if self.piece.kind == "summarised":
            return f"url(#stripes-{self.piece.letter})"
        return "url(#hatch)" if self.piece.kind in _HELD_BACK else ""

    @property
    def holds_items(self) -> bool:
        """Whether there are items behind it, which a click shows."""
        return self.piece.letter in CATEGORIES

    @property
    def is_solid(self) -> bool:
        """Whether it is a filled shape; the others are outlines and drawn inside their line."""
        return self.piece.kind in _FILLED

    @property
    def text_css(self) -> str:
        """The class of its label."""
        if self.is_solid:
            return "oc"
        return "bb" if self.piece.letter else "s"


@dataclass(frozen=True, slots=True)
class Bar:
    """One drawing of the bar at one nominal width: under it its `axis`, or its `ends` where it has no labels.

    `break_at` is where the scale is broken: what is past the window is longer than drawn. None where it is whole.
    """

    name: str
    height: int
    segments: tuple[BarSegment, ...]
    limit_at: str
    threshold_at: str | None
    axis: tuple[AxisText, ...]
    ends: tuple[AxisText, ...]
    break_at: str | None = None


@dataclass(frozen=True, slots=True)
class BarRow:
    """One row of the bar read as a table."""

    kind: PieceKind
    letter: str
    text: str
    tokens: str


@dataclass(frozen=True, slots=True)
class BarPart:
    """Rows of that table that add up to something: the context window, or what does not go into it."""

    title: str
    total: str
    rows: tuple[BarRow, ...]


@dataclass(frozen=True, slots=True)
class BarPicture:
    """The bar in every width, its sentence for those who do not see it, and its table in two parts."""

    sentence: str
    drawings: tuple[Bar, ...]
    parts: tuple[BarPart, ...]

    @property
    def rows(self) -> tuple[BarRow, ...]:
        """The rows of both parts."""
        return tuple(row for part in self.parts for row in part.rows)


@dataclass(frozen=True, slots=True)
class BarLegend:
    """What the marks of some bars mean: letters with their categories, and the marks without words that they have.

    `held` names what the hatches hold back, "" where there is none.
    """

    categories: tuple[tuple[str, str], ...]
    held: str
    has_threshold: bool
    has_unsent: bool
    has_summarised: bool
    has_break: bool


@dataclass(frozen=True, slots=True)
class _Scale:
    """What the width of a bar, or of several beside each other, stands for, in tokens: the widest of each zone.

    `is_shared` where there are several, whose equal limits stand at one place.
    """

    window: int
    past: int
    whole: int
    is_shared: bool

    @property
    def is_broken(self) -> bool:
        """Whether the window would have less than its least share of the width."""
        return self.window < WINDOW_SHARE * self.whole


def draw_bar(figures: BarFigures) -> BarPicture:
    """The bar for these figures in every width."""
    pieces = pieces_of(figures)
    scale = _scale_of([pieces])
    layouts = [_lay_out(figures, pieces, variant, scale) for variant in VARIANTS]
    return _picture(figures, pieces, [layout.to_bar() for layout in layouts])


def draw_bars(several: Sequence[BarFigures]) -> list[BarPicture]:
    """Bars beside each other: on one scale, equal limits at one place, and below each the same kinds of labels."""
    pieces = [pieces_of(figures) for figures in several]
    scale = _scale_of(pieces)
    drawn: list[list[Bar]] = [[] for _ in several]
    for variant in VARIANTS:
        layouts = [_lay_out(figures, mine, variant, scale) for figures, mine in zip(several, pieces, strict=True)]
        detail = shared_detail([layout.marks for layout in layouts], variant)
        for bars, layout in zip(drawn, layouts, strict=True):
            bars.append(layout.to_bar(detail))
    return [_picture(*each) for each in zip(several, pieces, drawn, strict=True)]


def legend_of(pictures: Iterable[BarPicture]) -> BarLegend:
    """What the marks of these bars mean; a category that none of them shows is not named."""
    pictures = tuple(pictures)
    rows = [row for picture in pictures for row in picture.rows]
    letters, kinds = {row.letter for row in rows}, {row.kind for row in rows}
    held = [name for kind, name in HELD_BACK_NAMES.items() if kind in kinds and kind != "free"]
    return BarLegend(
        categories=tuple((letter, name) for letter, name in DRAWN.items() if letter in letters),
        held=", ".join(name[:1].lower() + name[1:] for name in held),
        has_threshold=any(bar.threshold_at for picture in pictures for bar in picture.drawings),
        has_unsent=bool(kinds & {"trimmed", "notSent"}),
        has_summarised="summarised" in kinds,
        has_break=any(bar.break_at for picture in pictures for bar in picture.drawings),
    )


def _picture(figures: BarFigures, pieces: Sequence[BarPiece], drawings: Sequence[Bar]) -> BarPicture:
    inside, outside = _zones(pieces)
    past = "Past the limit, and not sent" if any(piece.kind == "over" for piece in outside) else "Not sent"
    parts = (_part("Context window", inside), _part(past, outside))
    return BarPicture(_sentence(figures), tuple(drawings), tuple(part for part in parts if part.rows))


def _part(title: str, pieces: Sequence[BarPiece]) -> BarPart:
    rows = tuple(BarRow(piece.kind, piece.letter, piece.name + piece.words, f"{piece.tokens:,}") for piece in pieces)
    return BarPart(title, f"{sum(piece.tokens for piece in pieces):,}", rows)


def _zones(pieces: Sequence[BarPiece]) -> tuple[list[BarPiece], list[BarPiece]]:
    """The pieces of the context window, and those of what goes past it or is not sent."""
    in_window = _WITHIN | _HELD_BACK
    inside, outside = ([piece for piece in pieces if (piece.kind in in_window) is side] for side in (True, False))
    return inside, outside


def _scale_of(several: Sequence[Sequence[BarPiece]]) -> _Scale:
    sums = [[sum(piece.tokens for piece in zone) for zone in _zones(pieces)] for pieces in several]
    return _Scale(
        window=max((window for window, _ in sums), default=0),
        past=max((past for _, past in sums), default=0),
        whole=max((window + past for window, past in sums), default=0),
        is_shared=len(several) > 1,
    )


def pieces_of(figures: BarFigures) -> list[BarPiece]:
    """The domain cut into pieces, left to right; their tokens add up to the window plus what goes past it."""
    within, past_limit = cut_at_limit(figures.shares, limit=figures.limit)
    margin = figures.input_budget - figures.limit
    unusable = figures.window - figures.input_budget - figures.reserve
    held_back: tuple[tuple[PieceKind, int], ...] = (
        ("margin", margin),
        ("reserve", figures.reserve),
        ("unusable", unusable),
    )
    pieces = [
        *within,
        *(BarPiece(kind, "", HELD_BACK_NAMES[kind], tokens) for kind, tokens in held_back),
        *past_limit,
        *(BarPiece("trimmed", share.letter, share.name, share.trimmed_tokens) for share in figures.shares),
        *(BarPiece("summarised", share.letter, share.name, share.summarised_tokens) for share in figures.shares),
        *(BarPiece("notSent", share.letter, share.name, share.left_out_tokens) for share in figures.shares),
    ]
    words = {**KIND_WORDS, "sent": f" {SENT_WORDS[figures.level].past}"}
    return [replace(piece, words=words.get(piece.kind, "")) for piece in pieces if piece.tokens > 0]


def cut_at_limit(shares: Sequence[Share], *, limit: int) -> tuple[list[BarPiece], list[BarPiece]]:
    """What is sent within the limit with what stays free of it, and what is kept past it."""
    within: list[BarPiece] = []
    past_limit: list[BarPiece] = []
    room = max(0, limit)
    for share in shares:
        inside = min(share.sent_tokens, room)
        room -= inside
        whole = share.sent_tokens if 0 < inside < share.sent_tokens else 0
        within.append(BarPiece("sent", share.letter, share.name, inside, of_tokens=whole))
        past_limit.append(BarPiece("over", share.letter, share.name, share.sent_tokens - inside, of_tokens=whole))
    within.append(BarPiece("free", "", HELD_BACK_NAMES["free"], room))
    return within, past_limit


def spread(weights: Sequence[int], *, width_px: float) -> list[float]:
    """Widths for pieces beside each other with a gap between them, none thinner than LEAST_PX.

    The widths and the gaps add up to `width_px`; widths are proportional to the weights but for those held at the
    least width.
    """
    room = width_px - GAP_PX * (len(weights) - 1)
    held: set[int] = set()
    while True:
        open_weight = sum(weight for index, weight in enumerate(weights) if index not in held)
        scale = (room - LEAST_PX * len(held)) / open_weight if open_weight else 0.0
        thin = {i for i, weight in enumerate(weights) if i not in held and weight * scale < LEAST_PX}
        if not thin:
            return [LEAST_PX if i in held else weight * scale for i, weight in enumerate(weights)]
        held |= thin


def place(pieces: Sequence[BarPiece], variant: Variant, share: float = 1.0) -> list[BarSegment]:
    """The pieces beside each other on this share of a nominal width."""
    return _placed(pieces, spread([piece.tokens for piece in pieces], width_px=variant.width_px * share), variant)


def _place_on(scale: _Scale, pieces: Sequence[BarPiece], variant: Variant) -> list[BarSegment]:
    """The pieces on the scale: each zone on its own where it is broken."""
    if not scale.is_broken:
        return _place_by_limit(pieces, variant, scale.whole) if scale.is_shared else place(pieces, variant)
    window, past = _zones(pieces)
    end_px = variant.width_px * WINDOW_SHARE
    segments = (
        _place_by_limit(window, variant, scale.window / WINDOW_SHARE)
        if scale.is_shared
        else place(window, variant, WINDOW_SHARE)
    )
    if past:
        room = variant.width_px - end_px - BREAK_PX
        width_px = room * sum(piece.tokens for piece in past) / scale.past
        widths = spread([piece.tokens for piece in past], width_px=max(width_px, len(past) * 2 * GAP_PX))
        segments += _placed(past, widths, variant, end_px + BREAK_PX)
    return segments


def _place_by_limit(pieces: Sequence[BarPiece], variant: Variant, scale_tokens: float) -> list[BarSegment]:
    """The pieces with the limit where its tokens are on the scale, however many gaps there are before it."""
    zones = [[piece.tokens for piece in pieces if (piece.kind in _WITHIN) is within] for within in (True, False)]
    widths = [variant.width_px * sum(zone) / scale_tokens - GAP_PX / 2 for zone in zones]
    if any(zone and width < len(zone) * 2 * GAP_PX for zone, width in zip(zones, widths, strict=True)):
        return place(pieces, variant, sum(map(sum, zones)) / scale_tokens)
    spread_widths = [width for zone, px in zip(zones, widths, strict=True) for width in spread(zone, width_px=px)]
    return _placed(pieces, spread_widths, variant)


def _placed(pieces: Sequence[BarPiece], widths: Sequence[float], variant: Variant, x: float = 0.0) -> list[BarSegment]:
    segments: list[BarSegment] = []
    for piece, width in zip(pieces, widths, strict=True):
        segments.append(_segment(piece, x=x, width=width, variant=variant))
        x += width + GAP_PX
    return segments


@dataclass(frozen=True, slots=True)
class _Layout:
    """The segments of one drawing, and what its labels speak of."""

    variant: Variant
    segments: list[BarSegment]
    marks: Marks
    break_px: float | None

    def to_bar(self, at_most: LabelDetail = ALL_DETAIL) -> Bar:
        """The drawing with the labels that fit and say no more than they may."""
        variant, marks = self.variant, self.marks
        return Bar(
            name=variant.name,
            height=56 if variant.rows == 1 else 72,
            segments=tuple(_clear_of(marks.threshold_px, segment, variant) for segment in self.segments),
            limit_at=percent(marks.limit_px, variant),
            threshold_at=None if marks.threshold_px is None else percent(marks.threshold_px, variant),
            axis=tuple(axis_texts(marks, variant, at_most)),
            ends=tuple(end_texts(marks, variant)),
            break_at=None if self.break_px is None else percent(self.break_px, variant),
        )


def _lay_out(figures: BarFigures, pieces: list[BarPiece], variant: Variant, scale: _Scale) -> _Layout:
    """One drawing on this scale."""
    segments = _place_on(scale, pieces, variant)
    marks = Marks(
        limit=figures.limit,
        limit_px=limit_px(segments),
        margin=sum(piece.tokens for piece in pieces if piece.kind == "margin"),
        reserve=figures.reserve,
        unusable=sum(piece.tokens for piece in pieces if piece.kind == "unusable"),
        not_sent=sum(share.not_sent_tokens for share in figures.shares),
        over=max(sum(share.sent_tokens for share in figures.shares) - figures.limit, 0),
        threshold_percent=figures.threshold_percent,
        threshold_px=_threshold_px(figures, segments),
        held_px=max((one.x + one.width for one in segments if one.piece.kind in _HELD_BACK), default=0.0),
        end_px=max((one.x + one.width for one in segments), default=0.0),
    )
    is_broken = scale.is_broken and any(_zones(pieces)[1])
    break_px = variant.width_px * WINDOW_SHARE + BREAK_PX / 2 if is_broken else None
    return _Layout(variant, segments, marks, break_px)


def _segment(piece: BarPiece, *, x: float, width: float, variant: Variant) -> BarSegment:
    label = _label(piece, width=width)
    centred = len(label) == 1
    return BarSegment(
        piece=piece,
        x=x,
        width=width,
        left=percent(x, variant),
        span=percent(width, variant),
        label=label,
        label_at=percent(x + width / 2 if centred else x, variant),
        label_dx="0" if centred else f"{LABEL_PX:g}",
        anchor="middle" if centred else "start",
    )


def _clear_of(tick_px: float | None, segment: BarSegment, variant: Variant) -> BarSegment:
    """The segment with the longest label that the warning tick does not cross: before it, behind it, or its letter."""
    if tick_px is None or not segment.label:
        return segment
    end = segment.x + segment.width
    if segment.anchor == "middle" and abs(segment.x + segment.width / 2 - tick_px) > LETTER_PX - CLEAR_PX:
        return segment
    for name in _names(segment.piece):
        text = len(name) * CHAR_PX
        if segment.x + text + 2 * LABEL_PX > end:
            continue
        if not segment.x + 2 < tick_px < segment.x + LABEL_PX + text + CLEAR_PX:
            return replace(segment, label=name)
        if tick_px + LABEL_PX + text + CLEAR_PX <= end:
            return replace(segment, label=name, label_at=percent(tick_px, variant))
    before, behind = tick_px - segment.x, end - tick_px
    middle = segment.x + before / 2 if before > behind else tick_px + behind / 2
    letter = segment.piece.letter if max(before, behind) >= LETTER_PX else ""
    return replace(segment, label=letter, label_at=percent(middle, variant), label_dx="0", anchor="middle")


def _names(piece: BarPiece) -> list[str]:
    """What a piece may be labelled with, the longest first, without its letter alone."""
    count = short_count(piece.tokens)
    if piece.of_tokens:
        count = f"{count} of {short_count(piece.of_tokens)}"
    if piece.kind == "free":
        return [f"{count} free", count]
    if not piece.letter:
        return []
    if piece.kind in _FILLED:
        return [f"{piece.letter} {piece.name} {count}", f"{piece.letter} {count}"]
    mark = _MARKS[piece.kind]
    return [f"{mark} {piece.name} {count}", f"{mark} {count}"]


def _label(piece: BarPiece, *, width: float) -> str:
    for name in _names(piece):
        if len(name) * CHAR_PX + 2 * LABEL_PX <= width:
            return name
    return piece.letter if piece.letter and width >= LETTER_PX else ""


def limit_px(segments: Sequence[BarSegment]) -> float:
    """Behind the last segment that is within the limit."""
    within = [segment.x + segment.width for segment in segments if segment.piece.kind in _WITHIN]
    return within[-1] + GAP_PX / 2 if within else 0.0


def _threshold_px(figures: BarFigures, segments: Sequence[BarSegment]) -> float | None:
    if figures.threshold_percent is None or not 0 < figures.threshold_percent < 100:
        return None
    wanted = figures.limit * figures.threshold_percent / 100
    before = 0
    for segment in segments:
        if before + segment.piece.tokens >= wanted:
            return segment.x + segment.width * (wanted - before) / segment.piece.tokens
        before += segment.piece.tokens
    return None


def _sentence(figures: BarFigures) -> str:
    sent = sum(share.sent_tokens for share in figures.shares)
    asked = sent + sum(share.not_sent_tokens for share in figures.shares)
    told = f"{sent:,} tokens {SENT_WORDS[figures.level].passive}"
    return f"{told}, the limit is {figures.limit:,}; {asked:,} were requested."
