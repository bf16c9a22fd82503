"""The stacked budget bar as numbers a template can print: one linear domain, laid out at a nominal width.

The domain is the context window plus what was not sent, so that the reserve stands between the limit line and the
overflow. Shapes are laid out in pixels at a nominal width and printed in percent, so the picture stretches while its
text does not. Rules (gap, least width, text fitting) are the design's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from budgeteer.workbench.words import short_count

type PieceKind = Literal["sent", "free", "margin", "reserve", "unusable", "over", "notSent"]

GAP_PX = 2.0
LEAST_PX = 0.8
CHAR_PX = 6.55  # mean width of the 12 px interface font
LETTER_PX = 13.0  # the least width that still takes one letter

KIND_WORDS = {"sent": " sent", "over": " sent past the limit", "notSent": " not sent"}
HELD_BACK_NAMES = {
    "free": "Free",
    "margin": "Safety margin",
    "reserve": "Reserve for the reply",
    "unusable": "Beyond the model's maximum input",
}


@dataclass(frozen=True, slots=True)
class Share:
    """What one category sends and does not send, in tokens."""

    letter: str
    name: str
    sent_tokens: int
    not_sent_tokens: int


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
    """

    shares: tuple[Share, ...]
    window: int
    input_budget: int
    limit: int
    reserve: int
    threshold_percent: float | None


@dataclass(frozen=True, slots=True)
class Piece:
    """One stretch of the domain, in tokens."""

    kind: PieceKind
    letter: str
    name: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece with its place. `x` and `width` in pixels at the nominal width, `left` and `span` as percent strings."""

    piece: Piece
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
        """What hovering says: `Tools 15,989 not sent`."""
        return f"{self.piece.name} {self.piece.tokens:,}{KIND_WORDS.get(self.piece.kind, '')}"

    @property
    def css(self) -> str:
        """The classes of its shape."""
        if self.piece.kind == "sent":
            return f"f{self.piece.letter}"
        if self.piece.kind in {"over", "notSent"}:
            return f"ds k{self.piece.letter}"
        return "held" if self.fill else "bx"

    @property
    def fill(self) -> str:
        """The pattern it is filled with, "" when its class says all."""
        return "url(#hatch)" if self.piece.kind in {"margin", "reserve", "unusable"} else ""

    @property
    def is_solid(self) -> bool:
        """Whether it is a filled shape; the others are outlines and drawn inside their line."""
        return self.piece.kind == "sent"

    @property
    def text_css(self) -> str:
        """The class of its label."""
        if self.piece.kind == "sent":
            return "oc"
        return "bb" if self.piece.letter else "s"


@dataclass(frozen=True, slots=True)
class AxisText:
    """One label under the bar. `tone` is a CSS class of the SVG text."""

    text: str
    at: str
    anchor: str
    tone: str
    y: float


@dataclass(frozen=True, slots=True)
class Bar:
    """One drawing of the bar at one nominal width."""

    name: str
    height: int
    segments: tuple[Segment, ...]
    limit_at: str
    threshold_at: str | None
    axis: tuple[AxisText, ...]


@dataclass(frozen=True, slots=True)
class BarRow:
    """One row of the bar read as a table."""

    kind: PieceKind
    letter: str
    text: str
    tokens: str


@dataclass(frozen=True, slots=True)
class BarPicture:
    """The bar in every width, its sentence for those who do not see it, and its table with the total."""

    sentence: str
    drawings: tuple[Bar, ...]
    rows: tuple[BarRow, ...]
    total: str


@dataclass(frozen=True, slots=True)
class StripPart:
    """One stretch of a strip: its place and width in percent, and its classes."""

    left: str
    span: str
    css: str
    is_solid: bool


@dataclass(frozen=True, slots=True)
class Strip:
    """The bar as a line of a list: what is asked for against the limit, with no text of its own."""

    sentence: str
    parts: tuple[StripPart, ...]
    limit_at: str


@dataclass(frozen=True, slots=True)
class Variant:
    """A nominal width and how many axis rows it has."""

    name: str
    width_px: float
    rows: int
    full_labels: bool


# Nominal widths are the narrowest at which each drawing is shown (1200, 700 and 320 px screens less the padding).
VARIANTS = (
    Variant("wide", 1168.0, 1, full_labels=True),
    Variant("medium", 668.0, 1, full_labels=True),
    Variant("narrow", 288.0, 2, full_labels=False),
)


def draw_bar(figures: BarFigures) -> BarPicture:
    """The bar for these figures in every width."""
    pieces = pieces_of(figures)
    return BarPicture(
        sentence=_sentence(figures),
        drawings=tuple(_draw(figures, pieces, variant) for variant in VARIANTS),
        rows=tuple(
            BarRow(piece.kind, piece.letter, piece.name + KIND_WORDS.get(piece.kind, ""), f"{piece.tokens:,}")
            for piece in pieces
        ),
        total=f"{sum(piece.tokens for piece in pieces):,}",
    )


def draw_strip(shares: Sequence[Share], *, limit: int) -> Strip:
    """What is sent, then what is free up to the limit, then what is not sent, on a scale of its own."""
    variant = Variant("strip", 240.0, 1, full_labels=False)
    sent = sum(share.sent_tokens for share in shares)
    pieces: list[Piece] = []
    for share in shares:
        _append(pieces, Piece("sent", share.letter, share.name, share.sent_tokens))
    _append(pieces, Piece("free", "", HELD_BACK_NAMES["free"], limit - sent))
    for share in shares:
        _append(pieces, Piece("notSent", share.letter, share.name, share.not_sent_tokens))
    segments: list[Segment] = []
    x = 0.0
    for piece, width in zip(pieces, spread([p.tokens for p in pieces], width_px=variant.width_px), strict=True):
        segments.append(_segment(piece, x=x, width=width, variant=variant))
        x += width + GAP_PX
    asked = sent + sum(share.not_sent_tokens for share in shares)
    return Strip(
        sentence=f"{asked:,} tokens asked for, {sent:,} sent, limit {limit:,}",
        parts=tuple(StripPart(s.left, s.span, s.css, s.is_solid) for s in segments),
        limit_at=_percent(_limit_px(segments), variant),
    )


def pieces_of(figures: BarFigures) -> list[Piece]:
    """The domain cut into pieces, left to right; their tokens add up to the window plus what goes past it."""
    pieces: list[Piece] = []
    past_limit: list[Piece] = []
    room = max(0, figures.limit)
    for share in figures.shares:
        inside = min(share.sent_tokens, room)
        room -= inside
        _append(pieces, Piece("sent", share.letter, share.name, inside))
        _append(past_limit, Piece("over", share.letter, share.name, share.sent_tokens - inside))
    margin = figures.input_budget - figures.limit
    unusable = figures.window - figures.input_budget - figures.reserve
    for kind, tokens in (("free", room), ("margin", margin), ("reserve", figures.reserve), ("unusable", unusable)):
        _append(pieces, Piece(kind, "", HELD_BACK_NAMES[kind], tokens))  # type: ignore[arg-type]  # literals of the loop
    pieces.extend(past_limit)
    for share in figures.shares:
        _append(pieces, Piece("notSent", share.letter, share.name, share.not_sent_tokens))
    return pieces


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


def _append(pieces: list[Piece], piece: Piece) -> None:
    if piece.tokens > 0:
        pieces.append(piece)


def _draw(figures: BarFigures, pieces: list[Piece], variant: Variant) -> Bar:
    widths = spread([piece.tokens for piece in pieces], width_px=variant.width_px)
    segments: list[Segment] = []
    x = 0.0
    for piece, width in zip(pieces, widths, strict=True):
        segments.append(_segment(piece, x=x, width=width, variant=variant))
        x += width + GAP_PX
    limit_px = _limit_px(segments)
    threshold_px = _threshold_px(figures, segments)
    return Bar(
        name=variant.name,
        height=56 if variant.rows == 1 else 72,
        segments=tuple(segments),
        limit_at=_percent(limit_px, variant),
        threshold_at=None if threshold_px is None else _percent(threshold_px, variant),
        axis=tuple(_axis(figures, limit_px=limit_px, threshold_px=threshold_px, variant=variant)),
    )


def _segment(piece: Piece, *, x: float, width: float, variant: Variant) -> Segment:
    label = _label(piece, width=width)
    centred = len(label) == 1
    return Segment(
        piece=piece,
        x=x,
        width=width,
        left=_percent(x, variant),
        span=_percent(width, variant),
        label=label,
        label_at=_percent(x + width / 2 if centred else x, variant),
        label_dx="0" if centred else "6",
        anchor="middle" if centred else "start",
    )


def _label(piece: Piece, *, width: float) -> str:
    if piece.kind == "free":
        names = [f"{short_count(piece.tokens)} free"]
    elif not piece.letter:
        names = []
    else:
        mark = "" if piece.kind == "sent" else "✕ "
        count = short_count(piece.tokens)
        names = [f"{piece.letter} {piece.name} {count}"] if piece.kind == "sent" else []
        names += [f"{mark}{piece.letter} {count}"]
    for name in names:
        if len(name) * CHAR_PX + 12 <= width:
            return name
    return piece.letter if piece.letter and width >= LETTER_PX else ""


def _limit_px(segments: Sequence[Segment]) -> float:
    """Behind the last segment that is within the limit."""
    within = [segment.x + segment.width for segment in segments if segment.piece.kind in ("sent", "free")]
    return within[-1] + GAP_PX / 2 if within else 0.0


def _threshold_px(figures: BarFigures, segments: Sequence[Segment]) -> float | None:
    if figures.threshold_percent is None or not 0 < figures.threshold_percent < 100:
        return None
    wanted = figures.limit * figures.threshold_percent / 100
    before = 0
    for segment in segments:
        if before + segment.piece.tokens >= wanted:
            return segment.x + segment.width * (wanted - before) / segment.piece.tokens
        before += segment.piece.tokens
    return None


def _axis(figures: BarFigures, *, limit_px: float, threshold_px: float | None, variant: Variant) -> Iterable[AxisText]:
    """The labels under the bar that fit, most important first."""
    not_sent = sum(share.not_sent_tokens for share in figures.shares)
    taken: list[tuple[float, float]] = []
    limit = f"limit {figures.limit:,}"
    anchor = "end" if limit_px > len(limit) * CHAR_PX else "start"
    yield from _place(limit, limit_px, (anchor, "o"), variant=variant, taken=taken)
    missing = f"{not_sent:,} asked for, not sent" if variant.full_labels else f"{not_sent:,} not sent"
    reserve = f"reserve {figures.reserve:,}"
    threshold = None if threshold_px is None else figures.limit * (figures.threshold_percent or 0) / 100
    warning = "" if threshold is None else f"{figures.threshold_percent:g} % warning {threshold:,.0f}"
    if variant.rows == 1:
        if not_sent:
            yield from _place(missing, variant.width_px, ("end", "o"), variant=variant, taken=taken)
        if warning and threshold_px is not None:
            yield from _place(warning, threshold_px, ("middle", "w"), variant=variant, taken=taken)
        yield from _place(reserve, limit_px + 6, ("start", "s"), variant=variant, taken=taken)
        yield from _place("0", 0, ("start", "s"), variant=variant, taken=taken)
        return
    yield from _place("0", 0, ("start", "s"), variant=variant, taken=taken)
    if not_sent:
        yield AxisText(missing, "100%", "end", "o", 66)
    else:
        yield AxisText(reserve, "100%", "end", "s", 66)
    if warning:
        yield AxisText(warning.replace(" warning", ""), "0%", "start", "w", 66)


def _place(
    text: str, at_px: float, look: tuple[str, str], *, variant: Variant, taken: list[tuple[float, float]]
) -> Iterable[AxisText]:
    anchor, tone = look
    width = len(text) * CHAR_PX
    start = {"start": at_px, "middle": at_px - width / 2, "end": at_px - width}[anchor]
    end = start + width
    if start < -0.5 or end > variant.width_px + 0.5:
        return
    if any(start < right + 4 and end > left - 4 for left, right in taken):
        return
    taken.append((start, end))
    yield AxisText(text, _percent(at_px, variant), anchor, tone, 50)


def _percent(px: float, variant: Variant) -> str:
    return f"{px / variant.width_px * 100:.3f}%"


def _sentence(figures: BarFigures) -> str:
    sent = sum(share.sent_tokens for share in figures.shares)
    asked = sent + sum(share.not_sent_tokens for share in figures.shares)
    return f"Of {asked:,} tokens asked for, {sent:,} are sent; the limit is {figures.limit:,}."
