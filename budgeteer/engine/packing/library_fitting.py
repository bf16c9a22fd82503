"""Fit skills, tools, feature specs and chunks of one packing into their share or what the window leaves.

The system share holds the block without its chunks, and the tools: skills are fitted into what system texts leave of
it, tools into what skills leave, feature specs into what tools leave. Skills and tools only while their budget is on,
for otherwise they are only measured; system texts always stay, so what is over then is a stated error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from budgeteer.engine.content.conversation import TextPart, text_of
from budgeteer.engine.content.usage_order import Priority
from budgeteer.engine.inputs.sent_settings import asks_for_call
from budgeteer.engine.packing.allocation import Allowance, Shares
from budgeteer.engine.packing.sections.features import FeatureAsk, FeatureFit, fit_features
from budgeteer.engine.packing.sections.instruction_block import InstructionBlock
from budgeteer.engine.packing.sections.retrieval import HEADER, ChunkCause, ChunkRoom, RetrievalFit, fit_chunks
from budgeteer.engine.packing.sections.skills import SkillAsk, SkillFit, fit_skills
from budgeteer.engine.packing.sections.system import FEATURES_HEADER, SystemPiece, are_messages
from budgeteer.engine.packing.sections.tools import ToolCosts, ToolFit, fit_tools, line_end_tokens


@dataclass(frozen=True, slots=True)
class Libraries:
    """What was chosen of each library, the block's pieces, and what is left for history.

    `tool_costs` is what the definitions cost beside themselves under the final system message; `tools_tokens` are the
    definitions with that; `room_tokens` what the window and history's share leave; `rest_tokens` is what everything but
    history takes, the query and the priming of the reply included; `block_tokens` the system texts with all that stands
    among them.
    """

    skills: SkillFit
    tools: ToolFit
    features: FeatureFit
    retrieval: RetrievalFit
    pieces: tuple[SystemPiece, ...]
    tool_costs: ToolCosts
    tools_tokens: int
    room_tokens: int
    rest_tokens: int
    block_tokens: int


@dataclass(frozen=True)
class LibraryFitter:
    """Fits the libraries of one bundle. What does not depend on history is fitted once.

    Attributes:
        shares: the fixed shares of the window, None where they are off.
        exchange_tokens: what the most recent exchange takes: the chunks, where there are any, leave it that much room.
        known_skills: the skills where they were fitted before; without shares they depend on no other section.
    """

    block: InstructionBlock
    allowed: Allowance
    shares: Shares | None
    exchange_tokens: int
    known_skills: SkillFit | None = None

    def fit(self, called: frozenset[str], *, most: int | None = None, cause: ChunkCause = ChunkCause.FITS) -> Libraries:
        """Everything in order; `called` are the tools that history calls, `most` what a retry leaves of the chunks."""
        skills = self._skills
        pieces = self.block.pieces(skills)
        costs = self._costs(pieces)
        tools = self._tools(pieces, costs, called)
        tools_tokens = _tools_tokens(tools, costs)
        features = self._features(skills, tools_tokens)
        header = self.block.text_tokens(HEADER, closed=not self.block.prepended) if self.block.bundle.chunks else 0
        others = self.block.tokens(self.block.pieces(skills, features)) - header + tools_tokens
        context = self._context_tokens(others)
        retrieval = fit_chunks(
            self.block.bundle.chunks,
            self.block.bundle.chunk_measures,
            self.block.config.retrieval,
            counter=self.block.counter,
            room=self._chunk_room(others, context, most=most, cause=cause),
        )
        pieces = self.block.pieces(skills, features, retrieval)
        block = self.block.tokens(pieces)
        final = replace(costs, line_end=self._line_end(pieces, costs))
        tools = replace(tools, asked=tools.asked + final.joins(len(tools.kept)) - costs.joins(len(tools.kept)))
        tools_tokens = _tools_tokens(tools, final)
        rest = self._fixed() + block + tools_tokens
        room = self.allowed.usable_tokens - rest
        if self.shares is not None and context is not None:
            unused = max(context - retrieval.tokens, 0) if self.shares.redistribute else 0
            room = min(room, self.shares.history_tokens + unused)
        return Libraries(skills, tools, features, retrieval, tuple(pieces), final, tools_tokens, room, rest, block)

    def _fixed(self) -> int:
        """Query and priming."""
        return self.block.framing.query_tokens() + self.block.framing.reply()

    def _context_tokens(self, others: int) -> int | None:
        """The context share, with what the system group leaves of its own where that flows on; None without shares."""
        if self.shares is None:
            return None
        unused = max(self.shares.system_tokens - others, 0) if self.shares.redistribute else 0
        return self.shares.context_tokens + unused

    def _chunk_room(self, others: int, context: int | None, *, most: int | None, cause: ChunkCause) -> ChunkRoom:
        """What the window leaves beside all else and the most recent exchange, and no more than the context share."""
        kept_free = self.exchange_tokens
        if self.shares is not None:
            kept_free = min(kept_free, self.shares.history_tokens)
        left = self.allowed.usable_tokens - self._fixed() - others - kept_free
        ruled = context is not None and context <= left
        return ChunkRoom(
            tokens=min(left, context) if context is not None else left,
            rule="shares.context" if ruled else "room",
            most=most,
            cause=cause,
            closed=not self.block.prepended,
            pins=frozenset(self.block.config.pins),
        )

    def _left_of_system(self, *taken: int) -> int | None:
        """What is left of the system share, None where there are no shares."""
        return None if self.shares is None else max(self.shares.system_tokens - sum(taken), 0)

    @cached_property
    def _skills(self) -> SkillFit:
        if self.known_skills is not None:
            return self.known_skills
        bundle, config = self.block.bundle, self.block.config.skills_budget
        left = None
        if self.shares is not None:
            left = self._left_of_system(self.block.tokens(self.block.pieces()))
        ask = SkillAsk(bundle.usage, left)
        return fit_skills(bundle.skills, bundle.skill_measures, config, counter=self.block.counter, ask=ask)

    def _costs(self, pieces: Sequence[SystemPiece]) -> ToolCosts:
        """The costs while the system message is not complete: its line end is charged with the most it can take."""
        line_end = 1 if self.block.is_system_message and _is_sent(pieces) else None
        provider = self.block.framing.provider
        forced = asks_for_call(self.block.bundle, provider)
        return ToolCosts(provider, self.block.counter, self.allowed.row, line_end=line_end, is_forced=forced)

    def _line_end(self, pieces: Sequence[SystemPiece], costs: ToolCosts) -> int | None:
        """What a line end adds to the first system message, None where there is none."""
        if not self.block.is_system_message or not _is_sent(pieces):
            return None
        if costs.reading is None or costs.reading.shared_with_system is None or not self.block.bundle.tools:
            return 0
        if are_messages(pieces):
            first = next(piece.alone for piece in pieces if piece.alone is not None and piece.alone.parts)
            text = next((part.text for part in reversed(first.parts) if isinstance(part, TextPart)), "")
        else:
            text = pieces[-1].text()
        return line_end_tokens(text, self.block.counter)

    def _tools(self, pieces: Sequence[SystemPiece], costs: ToolCosts, called: frozenset[str]) -> ToolFit:
        """The tools beside what stands before them in the system share."""
        bundle, config = self.block.bundle, self.block.config
        if self.shares is not None:
            left = self._left_of_system(self.block.tokens(pieces))
            costs = replace(costs, limit_tokens=left)
        standing = Priority(bundle.usage, frozenset(config.pins), called, frozenset(config.tools.leave_out))
        return fit_tools(bundle.tools, bundle.tool_measures, config.skills_budget, costs=costs, standing=standing)

    def _features(self, skills: SkillFit, tools_tokens: int) -> FeatureFit:
        if self.shares is None or not self.block.bundle.features:
            return self._features_without_limit
        others = self.block.tokens(self.block.pieces(skills)) - self.block.text_tokens(FEATURES_HEADER)
        return self._fit_features(self._left_of_system(others, tools_tokens))

    @cached_property
    def _features_without_limit(self) -> FeatureFit:
        return self._fit_features(None)

    def _fit_features(self, left: int | None) -> FeatureFit:
        bundle, config = self.block.bundle, self.block.config
        query = text_of(bundle.query) if config.features.mode == "search" and bundle.query is not None else ""
        ask = FeatureAsk(query, frozenset(config.pins), left)
        return fit_features(
            bundle.features, bundle.feature_measures, config.features, counter=self.block.counter, ask=ask
        )


def _tools_tokens(tools: ToolFit, costs: ToolCosts) -> int:
    """The definitions that are sent, with what they cost beside themselves."""
    return int(tools.tokens[tools.kept].sum()) + costs.joins(len(tools.order)).tokens


def _is_sent(pieces: Sequence[SystemPiece]) -> bool:
    """Whether the pieces make a system message: one of our own text, or any of the conversation's with a text."""
    return any(piece.alone is None or piece.alone.parts for piece in pieces)
