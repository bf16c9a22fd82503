"""One feature search from the command line, as a table, as JSON and as what a model would get."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from budgeteer.cli.configuration import assemble
from budgeteer.cli.output.tables import number, table
from budgeteer.engine.analysis.feature_modes import FeatureModes, feature_modes
from budgeteer.engine.analysis.search_tool import tool_answer
from budgeteer.engine.config.schema import FeaturesConfig
from budgeteer.engine.counting.tokenizers import TokenCounter, counter_for
from budgeteer.engine.inputs.bundle import Bundle, Inputs, build_bundle
from budgeteer.engine.packing.allocation import tokenizer_of
from budgeteer.engine.packing.sections.features import NONE_FOUND, FeatureAsk, FeatureFit, fit_features

if TYPE_CHECKING:
    from collections.abc import Sequence

    from budgeteer.cli.options.search import SearchOptions
    from budgeteer.engine.content.library import FeatureSpec


@dataclass(frozen=True, slots=True)
class Search:
    """A search and its costs; `modes` is None where there are no specs."""

    bundle: Bundle
    config: FeaturesConfig
    counter: TokenCounter
    fit: FeatureFit
    modes: FeatureModes | None

    @classmethod
    def of(cls, features: Sequence[FeatureSpec], options: SearchOptions) -> Search:
        """The search the options describe.

        Raises:
            ConfigError: the configuration cannot be used.
            TokenizerUnavailable: the model's vocabulary is not packaged.
        """
        chosen = assemble(options.config, options.model, options.assignments)
        asked: dict[str, Any] = {"mode": "search", "keywords": options.keywords.split(",")}
        if options.top_k is not None:
            asked["top_k"] = options.top_k
        config = chosen.features.model_copy(update=asked)
        counter = counter_for(tokenizer_of(chosen))
        bundle = build_bundle(Inputs(features=features), counter=counter)
        fit = fit_features(features, bundle.feature_measures, config, counter=counter, ask=FeatureAsk())
        return cls(bundle, config, counter, fit, feature_modes(bundle, config, texts=chosen.texts))

    def answer(self) -> str:
        """What the tool would give back."""
        return tool_answer(self.bundle.features, self.config.keywords or (), self.config, counter=self.counter)

    def to_json(self) -> dict[str, Any]:
        """As in the command line's contract."""
        return {
            "keywords": list(self.fit.keywords),
            "results": self._results(),
            "listed": self._listed(),
            "tokenizer": self.counter.name,
            "modes": None if self.modes is None else self.modes.to_json(),
        }

    def table(self) -> str:
        """The results with their scores, or the list of files, and what each mode costs."""
        if self.modes is None:
            return f"{NONE_FOUND}."
        lines = []
        if results := self._results():
            header = ("score", "in name", "in text", "tokens", "path")
            rows = [(r["score"], r["filenameHits"], r["contentHits"], r["tokens"], r["path"]) for r in results]
            lines.append(table(header, rows))
            lines.append(f"\n{number(self.modes.found)} of {number(self.modes.specs)} specs match.")
        elif listed := self._listed():
            why = f"Nothing matches {', '.join(self.fit.keywords)}" if self.fit.keywords else "No keyword was given"
            lines += [f"{why}; these files exist:", "", *listed, ""]
        else:
            lines.append(f"{NONE_FOUND}.")
        lines.append(self._costs(self.modes))
        return "\n".join(lines)

    def _costs(self, modes: FeatureModes) -> str:
        sizes = (
            ("all specs", modes.all),
            ("this search", modes.search),
            ("search_features, the tool", modes.tool),
            ("its instructions", modes.instructions),
        )
        rows = [(name, size.tokens, size.chars) for name, size in sizes]
        return f"\n{table(('in the prompt', 'tokens', 'characters'), rows)}\nCounted with {self.counter.name}."

    def _results(self) -> list[dict[str, Any]]:
        hits = {hit.row: hit for hit in self.fit.hits}
        return [
            {
                "path": self.bundle.features[row].path,
                "score": hits[row].score,
                "filenameHits": hits[row].filename_hits,
                "contentHits": hits[row].content_hits,
                "tokens": int(self.bundle.feature_measures.tokens[row]),
            }
            for row in self.fit.order
        ]

    def _listed(self) -> list[str]:
        return [self.bundle.features[row].path for row in self.fit.listed]
