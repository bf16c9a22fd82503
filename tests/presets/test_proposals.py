from __future__ import annotations

import datetime as dt

import pytest

from budgeteer.engine.errors import ConfigError
from budgeteer.presets import proposals, services
from budgeteer.presets.models import Preset, PresetProposal
from budgeteer.presets.proposals import ProposalMovedOn, ProposalWords
from tests import people

pytestmark = pytest.mark.django_db
WORDS = ProposalWords(
    "More room",
    provenance={
        "harness": "Harbour CLI",
        "harness_version": "3.1",
        "source_url": "https://example.org/limits",
        "checked_on": dt.date(2026, 11, 20),
    },
)
MORE = {"outputReserve": 9000}


@pytest.fixture
def plain():
    return Preset.objects.get(slug="plain")


def test_an_administrators_own_is_a_draft_and_an_editors_waits_for_them(plain):
    root, ada, bob = people.admin("root"), people.editor("ada"), people.editor("bob")
    draft = proposals.propose(root, MORE, WORDS, preset=plain)
    proposed = proposals.propose(ada, MORE, WORDS, preset=plain)
    assert (draft.state, proposed.state) == ("draft", "open")
    assert set(proposals.visible_to(root)) == {draft, proposed}
    assert set(proposals.visible_to(ada)) == {proposed}
    assert set(proposals.visible_to(bob)) == set()
    assert [proposals.waiting_count(each) for each in (root, ada)] == [1, 0]
    assert set(proposals.visible_to(people.admin("second"))) == {proposed}


def test_published_it_is_the_next_version_with_its_authors_name_and_where_its_numbers_come_from(plain):
    root, ada = people.admin("root"), people.editor("ada")
    proposal = proposals.propose(ada, MORE, WORDS, preset=plain)
    version = proposals.publish(proposal, by=root, seen=1)
    proposal.refresh_from_db()
    assert (version.number, version.config, version.note, version.author) == (2, MORE, "More room", ada)
    assert version.provenance == WORDS.provenance
    assert (proposal.state, proposal.decided_by, proposal.published) == ("published", root, version)


def test_a_new_preset_gets_a_free_name_for_addresses():
    root = people.admin("root")
    first = proposals.publish(proposals.propose(root, MORE, ProposalWords("a", title="Plain")), by=root, seen=0)
    second = proposals.publish(proposals.propose(root, MORE, ProposalWords("a", title="Plain")), by=root, seen=0)
    named = proposals.publish(proposals.propose(root, MORE, ProposalWords("a", title="漢字")), by=root, seen=0)
    assert [each.preset.slug for each in (first, second, named)] == ["plain-2", "plain-3", "preset"]


def test_what_was_not_looked_at_is_not_published_over(plain):
    root = people.admin("root")
    proposal = proposals.propose(root, MORE, WORDS, preset=plain)
    services.publish(plain, config={"outputReserve": 7000}, note="x", author=None)
    with pytest.raises(ProposalMovedOn, match="v2 of"):
        proposals.publish(proposal, by=root, seen=1)
    assert proposals.publish(proposal, by=root, seen=2).number == 3


def test_it_is_decided_on_once(plain):
    root, ada = people.admin("root"), people.editor("ada")
    proposal = proposals.propose(ada, MORE, WORDS, preset=plain)
    proposals.decline(proposal, by=root, answer="Too much")
    for act in (
        lambda: proposals.publish(proposal, by=root, seen=1),
        lambda: proposals.decline(proposal, by=root, answer="Again"),
        lambda: proposals.rewrite(proposal, {}),
    ):
        with pytest.raises(ProposalMovedOn, match="declined meanwhile"):
            act()
    assert services.current("plain").number == 1
    assert PresetProposal.objects.get().answer == "Too much"


def test_a_draft_is_found_again_and_begins_as_the_newest_version(plain):
    root = people.admin("root")
    services.publish(plain, config=MORE, note="x", author=None, provenance=WORDS.provenance)
    draft = proposals.draft_of(root, plain)
    assert (draft.config, draft.based_on, draft.provenance) == (MORE, 2, WORDS.provenance)
    proposals.rewrite(draft, {"outputReserve": 5000})
    assert proposals.draft_of(root, plain).config == {"outputReserve": 5000}
    with pytest.raises(ConfigError):
        proposals.rewrite(draft, {"histroy": {}})


def test_a_retired_preset_is_not_offered_and_can_be_offered_again(plain):
    services.offer(plain, wanted=False, by=None)
    assert "plain" not in {version.preset.slug for version in services.choices()}
    assert services.current("plain").number == 1
    services.offer(plain, wanted=True, by=None)
    assert "plain" in {version.preset.slug for version in services.choices()}
