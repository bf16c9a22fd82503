"""The instruction block: system texts, skills, features and chunks as one text, and its position.

It is one text only where something is added to the conversation's own system messages; where nothing is, they stay
messages. `dedicated` puts it into a system message of its own, `user` into a message in the user's name before all
others, for hosts that have no other role for it (the seed's change 1), `prepended` before the first message of the
user, as the seed's first state had it: the block, a rule, then what the user wrote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from budgeteer.engine.config.schema import BudgetConfig
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.inputs.bundle import Bundle
from budgeteer.engine.packing.ledger import Overhead, Size
from budgeteer.engine.packing.message_overhead import MessageOverhead
from budgeteer.engine.packing.sections.features import FeatureFit, feature_pieces
from budgeteer.engine.packing.sections.retrieval import HEADER, RetrievalFit, labels_size, retrieval_pieces
from budgeteer.engine.packing.sections.skill_block import effective, skill_entry, skills_block
from budgeteer.engine.packing.sections.skills import SkillFit
from budgeteer.engine.packing.sections.system import (
    FEATURES_HEADER,
    JOIN,
    RULE,
    SystemPiece,
    adds_text,
    are_messages,
    fixed_piece,
    instruction_pieces,
    joined,
    marked,
    message_pieces,
    piece_overheads,
    skills_piece,
)
from budgeteer.engine.providers.registry import PROVIDERS

#: What stands between the block and the user's words when it is prepended. Source: the seed's template.
SEPARATOR = f"{JOIN}{RULE}{JOIN}"


@dataclass(frozen=True, slots=True)
class InstructionBlock:
    """The parts of one packing's block that no limit touches, and what its other parts cost between them."""

    bundle: Bundle
    config: BudgetConfig
    framing: MessageOverhead
    instructions: Sequence[Sequence[SystemPiece]]
    own_messages: Sequence[SystemPiece]

    @classmethod
    def of(cls, bundle: Bundle, config: BudgetConfig, framing: MessageOverhead) -> InstructionBlock:
        """The block with its system texts counted."""
        counter = framing.counter
        own = message_pieces(bundle, framing.provider, counter=counter)
        return cls(bundle, config, framing, instruction_pieces(bundle, counter=counter), own)

    @property
    def counter(self) -> TokenCounter:
        """What counts."""
        return self.framing.counter

    @property
    def prepended(self) -> bool:
        """Whether it stands before the user's first message."""
        return self.config.system.placement == "prepended"

    @property
    def is_system_message(self) -> bool:
        """Whether it is sent as system text, and not in the user's name."""
        return self.config.system.placement == "dedicated"

    def pieces(
        self, skills: SkillFit | None = None, features: FeatureFit | None = None, retrieval: RetrievalFit | None = None
    ) -> list[SystemPiece]:
        """The pieces with what was chosen; of what was not chosen yet, only a header stands, or an empty piece.

        Where nothing is added to the conversation's own system messages, each of them is a piece by itself.
        """
        added = [self._skills(skills), self._features(features), self._retrieval(retrieval)]
        if self.is_system_message and not (any(added) or adds_text(self.bundle)):
            return list(self.own_messages)
        sections = [*self.instructions, *added]
        pieces = marked(
            joined([section for section in sections if section], counter=self.counter),
            self.config.system.marker,
            counter=self.counter,
        )
        if pieces and self.prepended:
            pieces.append(self._rule())
        return pieces

    def overheads(self, pieces: Sequence[SystemPiece], *, needs_message: bool) -> list[Overhead]:
        """What the block costs beside its items; `needs_message` where no user's message is sent to stand in."""
        overheads = piece_overheads(pieces, counter=self.counter, closed=not self.prepended)
        if are_messages(pieces):
            overheads.append(self._frame(self._frames(pieces)))
        elif pieces and (needs_message or not self.prepended):
            frame = self.framing.written("system" if self.is_system_message else "user")
            overheads.append(self._frame(frame))
        return overheads

    def _frame(self, tokens: int) -> Overhead:
        return Overhead("system", "message frame", Size(tokens), self.counter.kind, is_around_messages=True)

    def _frames(self, pieces: Sequence[SystemPiece]) -> int:
        """The frames of the conversation's own system messages; one where the provider has one field for all texts."""
        given = [text.measures for text in self.bundle.system if text.measures is not None]
        sent = [measures for measures, piece in zip(given, pieces, strict=True) if piece.alone and piece.alone.parts]
        if not PROVIDERS[self.framing.provider].capabilities.system_messages:
            return self.framing.written("system") if sent else 0
        return sum(int(self.framing.messages(measures)[0]) for measures in sent)

    def tokens(self, pieces: Sequence[SystemPiece]) -> int:
        """The block in tokens, items and all; with a frame where it may need one."""
        items = sum(piece.tokens for piece in pieces if not piece.name)
        overheads = self.overheads(pieces, needs_message=not self.framing.has_query())
        return items + sum(entry.size.tokens for entry in overheads)

    def text_tokens(self, text: str, *, closed: bool = True) -> int:
        """A short text of the block, with a blank line after it unless `closed`."""
        joined_on = not closed and self.counter.per_message_overhead
        return self.counter.count(text + JOIN if joined_on else text)

    def labels(self, pieces: Sequence[SystemPiece], retrieval: RetrievalFit) -> Overhead:
        """What the numbers before the chunks cost."""
        size = labels_size(pieces, self.bundle.chunk_measures, retrieval.order)
        return Overhead("retrieval", "source numbers", size, self.counter.kind)

    def _rule(self) -> SystemPiece:
        return fixed_piece(RULE, section="system", name="rules between sections", counter=self.counter)

    def _skills(self, fit: SkillFit | None) -> list[SystemPiece]:
        if fit is None and self.bundle.skills:
            return [skills_piece(Size(), lambda: "", counter=self.counter)]
        if fit is None or not fit.order:
            return []
        config = effective(self.config.skills_budget)
        size = Size(int(fit.after_tokens.sum()), int(fit.after_chars.sum())) + fit.wrapper

        def text() -> str:
            skills = self.bundle.skills
            entries = [
                skill_entry(
                    skills[i],
                    config,
                    short=bool(fit.short[i]),
                    cut_chars=fit.cut_chars if fit.is_cut[i] else None,
                    aliases=fit.aliases,
                )
                for i in fit.order
            ]
            return skills_block(entries, fit.notice, fit.aliases)

        return [skills_piece(size, text, counter=self.counter)]

    def _features(self, fit: FeatureFit | None) -> list[SystemPiece]:
        if fit is not None:
            return feature_pieces(fit, self.bundle.features, self.bundle.feature_measures, counter=self.counter)
        if not self.bundle.features:
            return []
        return [fixed_piece(FEATURES_HEADER, section="features", name="header", counter=self.counter)]

    def _retrieval(self, fit: RetrievalFit | None) -> list[SystemPiece]:
        if fit is not None:
            chunks, measures = self.bundle.chunks, self.bundle.chunk_measures
            return retrieval_pieces(chunks, measures, fit.order, counter=self.counter, says_nothing=fit.says_nothing)
        if not self.bundle.chunks:
            return []
        return [fixed_piece(HEADER, section="retrieval", name="header", counter=self.counter)]
