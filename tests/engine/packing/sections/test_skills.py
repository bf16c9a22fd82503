"""The skills block: every step of the fit, one by one."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from budgeteer.engine.config.schema import SkillsBudgetConfig
from budgeteer.engine.content.library import HIDING_KEY, Skill
from budgeteer.engine.content.usage_order import Use
from budgeteer.engine.counting.library_measures import NotMeasured, measure_skills
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.packing.reasons import explain_skill
from budgeteer.engine.packing.sections.skill_block import effective, skill_entry, skills_block
from budgeteer.engine.packing.sections.skills import SkillAsk, SkillCause, SkillFit, entry_sizes, fit_skills
from budgeteer.engine.rendering import render_request
from tests.conformance.invariants import check_everything
from tests.engine.packs import bundle_of, packed, user

COUNTER = counter_for("o200k_base")
SKILLS = [
    Skill(
        f"skill-{n}",
        f"This skill helps you to do {'more ' * n}things. It also does others.",
        f"s{n}/SKILL.md",
        file_bytes=100 * n,
    )
    for n in range(6)
]


def config(**changes: Any) -> SkillsBudgetConfig:
    return SkillsBudgetConfig.model_validate({"enabled": True, **changes})


def fit(settings: SkillsBudgetConfig, *, usage: dict[str, Use] | None = None) -> SkillFit:
    measures = measure_skills(SKILLS, counter=COUNTER)
    return fit_skills(SKILLS, measures, settings, counter=COUNTER, ask=SkillAsk(usage or {}))


def block(settings: SkillsBudgetConfig, found: SkillFit) -> str:
    used = effective(settings)
    aliases = found.aliases
    entries = [skill_entry(SKILLS[i], used, short=bool(found.short[i]), aliases=aliases) for i in found.order]
    return skills_block(entries, found.notice, aliases)


def names(found: SkillFit) -> list[str]:
    return [SKILLS[i].name for i in found.order]


VARIANTS = [
    config(),
    config(optimization={"minifyDescriptions": True}),
    config(optimization={"compactPaths": True}),
    config(optimization={"minifyDescriptions": True, "compactPaths": True}),
    config(installRoot="/opt/skills (shared)/"),
    config(installRoot=""),
    config(installRoot="/opt/skills@"),
    config(installRoot="/opt/."),
    config(fallback="nameOnly", limits={"maxSkillsPromptChars": 700}),
    config(installRoots={"s1": "/home/you/.agent/skills", "s2/": "", "s3": "/opt/skills@"}),
    config(optimization={"aliasRoots": True}),
    config(optimization={"aliasRoots": True, "compactPaths": True}, notice=True, limits={"maxSkillsInPrompt": 4}),
    config(optimization={"aliasRoots": True}, installRoots={"s1": "/home/you/.agent/skills", "s2": "/opt/more"}),
    SkillsBudgetConfig.model_validate({"optimization": {"aliasRoots": True}, "installRoots": {"s1": "/opt"}}),
    SkillsBudgetConfig.model_validate({"optimization": {"compactPaths": True}}),
]


@pytest.mark.parametrize("settings", VARIANTS)
@pytest.mark.parametrize("tokenizer", ["o200k_base", "cl100k_base"])
def test_the_sizes_of_the_parts_are_the_size_of_the_block(settings: SkillsBudgetConfig, tokenizer: str) -> None:
    counter = counter_for(tokenizer)
    found = fit_skills(SKILLS, measure_skills(SKILLS, counter=counter), settings, counter=counter)
    text = block(settings, found)
    assert int(found.after_chars.sum()) + found.wrapper.chars == len(text)
    assert int(found.after_tokens.sum()) + found.wrapper.tokens == counter.count(text)


def test_under_chars_4_an_entry_is_a_quarter_of_its_characters() -> None:
    counter = counter_for("chars/4")
    entries = entry_sizes(SKILLS, measure_skills(SKILLS, counter=counter), config(), counter=counter)
    assert entries.full_tokens.tolist() == [-(-chars // 4) for chars in entries.full_chars.tolist()]


def test_the_longest_prefix_within_the_limit_is_kept_to_the_character() -> None:
    whole = fit(config())
    needed = int(whole.needed_chars[3])
    assert names(fit(config(limits={"maxSkillsPromptChars": needed}))) == ["skill-0", "skill-1", "skill-2", "skill-3"]
    short = fit(config(limits={"maxSkillsPromptChars": needed - 1}))
    assert names(short) == ["skill-0", "skill-1", "skill-2"]
    assert short.cause[3] == SkillCause.NO_ROOM_CHARS
    assert int(short.needed_chars[3]) == needed


def test_a_token_limit_stands_beside_the_character_limit() -> None:
    needed = int(fit(config()).needed_tokens[1])
    found = fit(config(limits={"maxSkillsPromptTokens": needed}))
    assert names(found) == ["skill-0", "skill-1"]
    assert found.cause[2] == SkillCause.NO_ROOM_TOKENS


def test_a_limit_below_the_header_keeps_nothing_and_costs_nothing() -> None:
    found = fit(config(limits={"maxSkillsPromptChars": 10}))
    assert names(found) == []
    assert (found.wrapper.chars, block(config(), found)) == (0, "")


def test_a_file_over_the_byte_limit_is_dropped_even_when_pinned() -> None:
    found = fit(config(limits={"maxSkillFileBytes": 400}, policies={"skill-5": "pinned"}))
    assert found.cause[5] == SkillCause.FILE_TOO_LARGE
    assert "skill-5" not in names(found)


def test_policies_drop_pin_and_shorten() -> None:
    policies = {"skill-0": "off", "skill-5": "pinned", "s2/SKILL.md": "nameOnly"}
    found = fit(config(policies=policies))
    assert names(found) == ["skill-5", "skill-1", "skill-2", "skill-3", "skill-4"]
    assert found.cause[0] == SkillCause.POLICY_OFF
    assert found.short.tolist() == [False, False, True, False, False, False]


def test_a_pin_beats_the_count_and_the_characters() -> None:
    limits = {"maxSkillsInPrompt": 1, "maxSkillsPromptChars": 100}
    found = fit(config(limits=limits, policies={"skill-3": "pinned", "skill-4": "pinned"}))
    assert names(found) == ["skill-3", "skill-4"]


def test_only_the_first_skills_are_considered() -> None:
    found = fit(config(limits={"maxSkillsInPrompt": 2}))
    assert names(found) == ["skill-0", "skill-1"]
    assert [int(c) for c in found.cause[2:]] == [SkillCause.TOO_MANY] * 4
    assert int(found.rank[4]) == 5


def test_fill_goes_on_past_a_skill_that_does_not_fit() -> None:
    library = [Skill("a", "x" * 50, "a"), Skill("b", "x" * 900, "b"), Skill("c", "x" * 50, "c")]
    measures = measure_skills(library, counter=COUNTER)
    limits = {"maxSkillsPromptChars": 600}
    kept = {
        mode: fit_skills(library, measures, config(limits=limits, fit=mode), counter=COUNTER).order
        for mode in ("prefix", "fill")
    }
    assert kept == {"prefix": (0,), "fill": (0, 2)}


@pytest.mark.parametrize("mode", ["prefix", "fill"])
@pytest.mark.parametrize("limit", ["maxSkillsPromptChars", "maxSkillsPromptTokens"])
def test_a_limit_holds_the_block_as_it_is_rendered_and_not_one_less(mode: str, limit: str) -> None:
    """The block with its header and tags is what is written and counted here, whatever the fit adds up."""
    measured = len if limit == "maxSkillsPromptChars" else COUNTER.count
    for count in range(1, len(SKILLS) + 1):
        entries = [skill_entry(skill, effective(config()), short=False) for skill in SKILLS[:count]]
        size = measured(skills_block(entries))
        assert len(fit(config(limits={limit: size}, fit=mode)).order) == count
        assert len(fit(config(limits={limit: size - 1}, fit=mode)).order) == count - 1


@pytest.mark.parametrize("mode", ["prefix", "fill"])
@pytest.mark.parametrize("limit", ["maxSkillsPromptChars", "maxSkillsPromptTokens"])
def test_a_notice_says_how_many_are_listed_and_is_charged(limit: str, mode: str) -> None:
    """OpenClaw's notice, "included 10 of 30"; there is none where all are listed, or none is."""
    measured = len if limit == "maxSkillsPromptChars" else COUNTER.count
    for count in range(1, len(SKILLS) + 1):
        entries = [skill_entry(skill, effective(config()), short=False) for skill in SKILLS[:count]]
        notice = f"[{count} of 6 skills listed to save context]" if count < len(SKILLS) else ""
        text = skills_block(entries, notice)
        assert ("\n\n" + notice + "\n\n<available_skills>" in text) is bool(notice)
        found = fit(config(limits={limit: measured(text)}, fit=mode, notice=True))
        assert (len(found.order), found.notice) == (count, notice)
        assert found.wrapper.tokens + int(found.after_tokens.sum()) == COUNTER.count(text)
        assert found.wrapper.chars + int(found.after_chars.sum()) == len(text)
        less = fit(config(limits={limit: measured(text) - 1}, fit=mode, notice=True))
        assert len(less.order) == count - 1
    assert fit(config(notice=True)).notice == ""


def test_the_limit_that_a_dropped_skill_names_lets_it_in_with_the_notice() -> None:
    found = fit(config(limits={"maxSkillsPromptChars": 500}, notice=True))
    assert found.notice
    for row in range(len(found.order), len(SKILLS)):
        needed = int(found.needed_chars[row])
        assert len(fit(config(limits={"maxSkillsPromptChars": needed}, notice=True)).order) > row
        assert len(fit(config(limits={"maxSkillsPromptChars": needed - 1}, notice=True)).order) <= row


def test_the_notice_is_sent_and_adds_up() -> None:
    settings = {"enabled": True, "notice": True, "limits": {"maxSkillsInPrompt": 2}}
    packing = packed(bundle_of(user("Go."), skills=SKILLS), {"skillsBudget": settings})
    check_everything(packing)
    assert "[2 of 6 skills listed to save context]" in str(render_request(packing))


@pytest.mark.parametrize("limit", ["maxSkillsPromptChars", "maxSkillsPromptTokens"])
def test_fill_charges_only_what_it_takes(limit: str) -> None:
    library = [Skill(name, "word " * words, name) for name, words in (("a", 10), ("b", 200), ("c", 10))]
    measures = measure_skills(library, counter=COUNTER)
    text = skills_block([skill_entry(library[row], effective(config()), short=False) for row in (0, 2)])
    size = len(text) if limit == "maxSkillsPromptChars" else COUNTER.count(text)
    for allowed, order in ((size, (0, 2)), (size - 1, (0,))):
        settings = config(limits={"maxSkillsPromptChars": 100_000, limit: allowed}, fit="fill")
        found = fit_skills(library, measures, settings, counter=COUNTER)
        assert found.order == order
        assert found.cause[1] == (
            SkillCause.NO_ROOM_CHARS if limit == "maxSkillsPromptChars" else SkillCause.NO_ROOM_TOKENS
        )


def test_a_pin_beats_every_limit_of_the_block_in_either_fit() -> None:
    for mode in ("prefix", "fill"):
        for limits in ({"maxSkillsPromptChars": 0}, {"maxSkillsPromptTokens": 0}, {"maxSkillsInPrompt": 0}):
            found = fit(config(limits=limits, fit=mode, policies={"skill-3": "pinned"}))
            assert names(found) == ["skill-3"]


def test_a_file_of_just_the_bytes_allowed_stays() -> None:
    assert "skill-4" in names(fit(config(limits={"maxSkillFileBytes": 400})))
    assert "skill-4" not in names(fit(config(limits={"maxSkillFileBytes": 399})))


def test_a_policy_by_name_goes_before_one_by_path() -> None:
    found = fit(config(policies={"skill-1": "pinned", "s1/SKILL.md": "off"}))
    assert names(found)[0] == "skill-1"


def test_a_pinned_skill_is_whole_where_the_others_are_only_named() -> None:
    settings = config(limits={"maxSkillsPromptChars": 850}, fallback="nameOnly", policies={"skill-5": "pinned"})
    found = fit(settings)
    assert found.tier == "nameOnly"
    assert names(found)[0] == "skill-5"
    assert found.short.tolist()[5] is False
    assert "others" in block(settings, found)


def test_the_fallback_lists_by_name_and_location_when_not_all_fit() -> None:
    limits = {"maxSkillsPromptChars": 850}
    found = fit(config(limits=limits, fallback="nameOnly"))
    assert found.tier == "nameOnly"
    assert len(found.order) > len(fit(config(limits=limits)).order)
    assert all(found.short[list(found.order)])
    assert fit(config(fallback="nameOnly")).tier == "full"


def test_what_is_only_named_says_every_limit_that_would_have_to_give_way() -> None:
    whole = fit(config()).asked
    for limits, wanted in (
        ({"maxSkillsPromptChars": 850}, [f"maxSkillsPromptChars were ≥ {whole.chars:,}"]),
        ({"maxSkillsPromptTokens": whole.tokens - 1}, [f"maxSkillsPromptTokens were ≥ {whole.tokens:,}"]),
        (
            {"maxSkillsPromptChars": 850, "maxSkillsPromptTokens": whole.tokens - 1},
            [f"maxSkillsPromptChars were ≥ {whole.chars:,}", f"maxSkillsPromptTokens were ≥ {whole.tokens:,}"],
        ),
    ):
        settings = config(limits=limits, fallback="nameOnly")
        reason = explain_skill(fit(settings), settings, 0, shortened=False)
        assert (reason.rule, reason.counterfactual) == ("fallback:nameOnly", f"In full if {' and '.join(wanted)}.")


def test_prioritization_orders_before_the_limits() -> None:
    usage = {"s4/SKILL.md": Use(9), "s2/SKILL.md": Use(3)}
    settings = config(optimization={"prioritization": "frequent"}, limits={"maxSkillsInPrompt": 2})
    assert names(fit(settings, usage=usage)) == ["skill-4", "skill-2"]


def test_while_the_budget_is_off_all_is_kept_and_only_measured() -> None:
    settings = SkillsBudgetConfig.model_validate(
        {
            "limits": {"maxSkillsInPrompt": 1},
            "optimization": {"minifyDescriptions": True},
            "policies": {"skill-1": "off"},
        }
    )
    found = fit(settings)
    assert len(found.order) == len(SKILLS)
    assert set(found.cause.tolist()) == {int(SkillCause.NOT_LIMITED)}
    assert (
        found.after_chars.tolist()
        == entry_sizes(SKILLS, measure_skills(SKILLS, counter=COUNTER), config(), counter=COUNTER).raw_chars.tolist()
    )


def test_no_skills_are_no_block() -> None:
    found = fit_skills([], measure_skills([], counter=COUNTER), config(), counter=COUNTER)
    assert (found.order, found.asked.chars) == ((), 0)


def test_skills_measured_without_minified_descriptions_pack_the_same_and_refuse_to_minify() -> None:
    counter = counter_for("o200k_base")
    skills = [Skill(f"s{at}", f"Say where berth {at} is. " * 12, f"s{at}/SKILL.md", body="Look.") for at in range(9)]
    full, bare = (measure_skills(skills, counter=counter, minified=wanted) for wanted in (True, False))
    config = SkillsBudgetConfig.model_validate({"enabled": True, "limits": {"maxSkillsPromptChars": 1_500}})
    fits = [fit_skills(skills, measures, config, counter=counter) for measures in (full, bare)]
    assert fits[0].order == fits[1].order
    assert len(bare.minified_tokens) == 0
    minify = SkillsBudgetConfig.model_validate({"enabled": True, "optimization": {"minifyDescriptions": True}})
    with pytest.raises(NotMeasured, match="without their minified"):
        fit_skills(skills, bare, minify, counter=counter)


@pytest.mark.parametrize("value", [True, 1, "true", "True", "yes", "ON", " 1 "])
def test_a_skill_that_its_front_matter_keeps_from_the_model_is_never_listed(value: object) -> None:
    hidden = replace(SKILLS[1], metadata={HIDING_KEY: value})
    skills = [SKILLS[0], hidden, SKILLS[2]]
    measures = measure_skills(skills, counter=COUNTER)
    for settings in (config(), SkillsBudgetConfig(), config(policies={"skill-1": "pinned"}, fallback="nameOnly")):
        found = fit_skills(skills, measures, settings, counter=COUNTER)
        assert found.order == (0, 2)
        without = fit_skills([SKILLS[0], SKILLS[2]], measures.taken(np.array([0, 2])), settings, counter=COUNTER)
        assert found.asked == without.asked
        assert explain_skill(found, settings, 1, shortened=False).rule == HIDING_KEY


@pytest.mark.parametrize("value", [False, 0, "false", "no", "off", "", None, "maybe", ["true"]])
def test_any_other_value_of_that_key_hides_nothing(value: object) -> None:
    assert not replace(SKILLS[1], metadata={HIDING_KEY: value}).is_hidden


def described_chars(found: SkillFit) -> list[int]:
    return [min(len(SKILLS[i].description), found.cut_chars if found.is_cut[i] else 10_000) for i in found.order]


@pytest.mark.parametrize("limit", ["maxSkillsPromptChars", "maxSkillsPromptTokens"])
def test_descriptions_are_cut_alike_before_any_skill_is_left_out(limit: str) -> None:
    """Codex: room for descriptions is shared equally, and what short ones leave goes to the longer ones."""
    measured = len if limit == "maxSkillsPromptChars" else COUNTER.count
    plain = effective(config())
    whole = measured(skills_block([skill_entry(skill, plain, short=False) for skill in SKILLS]))
    names_only = measured(skills_block([skill_entry(skill, plain, short=True) for skill in SKILLS]))
    for allowed in range(names_only + 1, whole, max((whole - names_only) // 9, 1)):
        found = fit(config(limits={limit: allowed}, fallback="cutDescriptions"))
        entries = [
            skill_entry(
                SKILLS[i], plain, short=found.tier == "nameOnly", cut_chars=found.cut_chars if found.is_cut[i] else None
            )
            for i in found.order
        ]
        assert len(found.order) == len(SKILLS)
        assert measured(skills_block(entries)) <= allowed
        assert found.wrapper.chars + int(found.after_chars.sum()) == len(skills_block(entries))
        assert found.wrapper.tokens + int(found.after_tokens.sum()) == COUNTER.count(skills_block(entries))
        if found.tier == "cutDescriptions" and limit == "maxSkillsPromptChars":
            longer = [skill_entry(SKILLS[i], plain, short=False, cut_chars=found.cut_chars + 1) for i in found.order]
            assert len(skills_block(longer)) > allowed
    equal = fit(
        config(
            limits={
                "maxSkillsPromptChars": len(
                    skills_block([skill_entry(s, plain, short=False, cut_chars=40) for s in SKILLS])
                )
            },
            fallback="cutDescriptions",
        )
    )
    assert described_chars(equal) == [40] * len(SKILLS)
    assert fit(config(limits={limit: whole}, fallback="cutDescriptions")).tier == "full"
    tight = fit(config(limits={limit: names_only - 1}, fallback="cutDescriptions"))
    assert (tight.tier, len(tight.order)) == ("nameOnly", len(SKILLS) - 1)


def test_short_descriptions_stay_whole_and_leave_their_room() -> None:
    library = [Skill("a", "short", "a"), Skill("b", "x" * 400, "b"), Skill("c", "y" * 400, "c")]
    measures = measure_skills(library, counter=COUNTER)
    plain = effective(config())
    size = len(skills_block([skill_entry(skill, plain, short=False, cut_chars=100) for skill in library]))
    settings = config(limits={"maxSkillsPromptChars": size + 1}, fallback="cutDescriptions")
    found = fit_skills(library, measures, settings, counter=COUNTER)
    assert (found.cut_chars, found.is_cut.tolist()) == (100, [False, True, True])


def test_cut_descriptions_are_sent_pinned_ones_whole_and_the_reason_names_the_limit() -> None:
    settings = {
        "enabled": True,
        "fallback": "cutDescriptions",
        "limits": {"maxSkillsPromptChars": 1_000},
        "policies": {"skill-5": "pinned"},
    }
    packing = packed(bundle_of(user("Go."), skills=SKILLS), {"skillsBudget": settings})
    check_everything(packing)
    reasons = {one.name: one for one in packing.ledger if one.section == "skills"}
    assert {one.fate for one in reasons.values()} == {"kept", "truncated"}
    assert reasons["skill-5"].fate == "kept"
    cut = reasons["skill-4"]
    assert cut.rule == "fallback:cutDescriptions"
    needed = cut.reason.conditions[0].at_least
    wide = {**settings, "limits": {"maxSkillsPromptChars": needed}}
    assert {one.fate for one in packed(bundle_of(user("Go."), skills=SKILLS), {"skillsBudget": wide}).ledger} == {
        "kept"
    }


ROOTS = {"user": "/home/you/.agent/skills", "project": "/work/harbour/.agent/skills"}
INSTALLED = [
    *(Skill(f"u{n}", "Ours.", f"user/u{n}/SKILL.md") for n in range(8)),
    *(Skill(f"p{n}", "The project's.", f"project/p{n}/SKILL.md") for n in range(8)),
    Skill("other", "Another's.", "plugins/other/SKILL.md"),
]


def installed(**changes: Any) -> tuple[SkillFit, str]:
    """The fit of skills under three roots, and its block."""
    settings = config(installRoot="/opt/agent", installRoots=ROOTS, **changes)
    found = fit_skills(INSTALLED, measure_skills(INSTALLED, counter=COUNTER), settings, counter=COUNTER)
    entries = [skill_entry(INSTALLED[i], settings, short=False, aliases=found.aliases) for i in found.order]
    text = skills_block(entries, found.notice, found.aliases)
    assert (len(text), COUNTER.count(text)) == (
        found.wrapper.chars + int(found.after_chars.sum()),
        found.wrapper.tokens + int(found.after_tokens.sum()),
    )
    return found, text


def test_skills_have_several_roots_by_the_folder_they_lie_in() -> None:
    _, text = installed()
    assert "<location>/home/you/.agent/skills/u3/SKILL.md</location>" in text
    assert "<location>/work/harbour/.agent/skills/p3/SKILL.md</location>" in text
    assert "<location>/opt/agent/plugins/other/SKILL.md</location>" in text


def test_a_table_of_aliases_lets_more_skills_fit() -> None:
    """Codex: outcome_rendering_uses_aliases_when_they_allow_more_skills_to_fit."""
    whole, _ = installed()
    limits = {"maxSkillsPromptChars": int(whole.needed_chars[whole.order[-1]]) - 1}
    plain, _ = installed(limits=limits)
    aliased, text = installed(limits=limits, optimization={"aliasRoots": True})
    assert len(plain.order) < len(INSTALLED) == len(aliased.order)
    assert "- r0 = /home/you/.agent/skills\n- r1 = /work/harbour/.agent/skills\n- r2 = /opt/agent\n" in text
    assert "<location>r1/p3/SKILL.md</location>" in text
    assert "/skills/u3" not in text


def test_no_table_is_written_that_takes_more_than_it_saves() -> None:
    settings = config(optimization={"aliasRoots": True})
    found = fit_skills(SKILLS[:1], measure_skills(SKILLS[:1], counter=COUNTER), settings, counter=COUNTER)
    assert found.aliases == {}
