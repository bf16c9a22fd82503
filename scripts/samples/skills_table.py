"""The skills of the sample library, one line each: `name | description`, under the name of their folder.

Some descriptions are terse and some ramble, as in libraries that many people add to.
"""

TABLE = """
# writing
release-notes | Turn a list of merged changes into release notes that a customer can read. Use this skill when somebody asks for release notes, a changelog entry, or "what's new" for a version. It groups changes by what they mean to the reader and not by the part of the code they touch, leaves out what nobody can notice, names every breaking change first with the step that mends it, and keeps each entry under two lines.
incident-review | Write the review of an incident without blame: a timeline in UTC, what people saw, what they believed at that time, contributing causes, and actions that each have an owner and a date. Use after any outage or near miss, also small ones.
plain-language | Rewrite a text in plain words for people who read it on a phone between two other things. Short sentences, one idea each, no noun piles, the important thing first.
meeting-minutes | Minutes from a transcript or rough notes: decisions, open questions, who does what until when.
style-check | Check prose against the house style: sentence case in headings, serial comma, numbers as digits from ten, no exclamation marks, product names spelled right. Lists every finding with its line and the rule, and changes nothing by itself.
translate-interface | Translate interface texts and keep placeholders, plural forms, and the length a button has room for. Use for any file of messages (PO, XLIFF, JSON, strings, arb). Asks when a word has two meanings in the context at hand, such as "order" or "charge".
faq-from-tickets | Reads support tickets and drafts questions and answers from what people keep asking; counts how often.
api-reference | Write reference pages for an HTTP API from its OpenAPI description and from the code behind it. Every endpoint gets a purpose in one sentence, its parameters with units and limits, an example that was actually run, and the errors a caller can cause. Use when documenting endpoints, when a reference has drifted from the code, or when a colleague asks how an endpoint behaves.
speech-outline | Outline for a talk of a given length, with what to cut when time runs short.
alt-text | Describe a picture for people who do not see it: what matters in its context, in one or two sentences, never "image of".
glossary | Keep one word for one idea: collect terms from a set of documents, find synonyms and clashes, propose a table.
newsletter | Monthly newsletter from internal notes. Warm, short, with one story, three facts and one invitation.
grant-proposal | Drafts sections of a funding proposal: need, aims that can be measured, method, work plan, budget with reasons, risks. Knows the word limits of the usual programmes and says when a section is over.

# code
code-review | Review a change as a careful colleague would: correctness first, then tests, then names, then taste, and say which is which. Use whenever the user asks for a review of a diff, a branch or a pull request. Reads the callers of what changed as well as the change, runs the tests it can run, and quotes the line it speaks about. Never approves what it did not understand, and says so when a change is too large to be read in one sitting.
commit-message | Write a commit message: what changed in the imperative, why in the body.
refactor-safely | Change the shape of code without changing what it does, in steps that each keep the tests green. Begins by writing down what the code does today in tests, where there are none.
bug-reproduction | Get from a report to a failing test: the smallest input, the exact versions, one command. Use it before any attempt to mend something that "sometimes" fails.
dead-code | Find code that nothing reaches, and prove it before removing it: static references, dynamic ones, configuration, templates, logs of production.
type-annotations | Add types to Python that has none, module by module from the leaves, without `Any` and without changing behaviour. Knows when a Protocol says more than a base class, how to narrow a union, and what to do about libraries without stubs.
error-messages | Improve error messages so that they say what happened, where, and what to do about it. Never loses the original exception and never shows a stack trace to a customer.
dependency-upgrade | Upgrade one dependency at a time: read its changelog between the two versions, list what concerns us, change, test, and write down what was left.
sql-review | Look at SQL for correctness with NULLs, duplicates from joins, time zones, and for indexes it can use.
regex-explain | Explain a regular expression piece by piece, with examples that match and that nearly match, and warn about catastrophic backtracking.
shell-script | Write shell scripts that fail loudly: quoting, `set -euo pipefail`, traps for temporary files, no parsing of ls.
concurrency-audit | Look for races, deadlocks and lost updates in code with threads, tasks or several processes. For each finding gives the interleaving step by step, and a test that forces it where that is possible. Use when a bug "cannot be reproduced", when counters drift, when something is processed twice.
feature-flag | Add a flag, and a date on which it goes away.
public-interface | Design the public part of a library: names, defaults, errors, what is promised and what is not. Writes the README's example before the code.
legacy-notes | When entering an old code base: draw the map of modules, find the five files that change most, list what surprises, and write it down for the next person.

# testing
property-tests | Find properties and write property-based tests with Hypothesis: round trips, invariants, a slow oracle, metamorphic relations. Explains each property in one sentence and keeps the examples that failed.
flaky-hunter | Track down tests that fail now and then. Repeats them under different seeds, orders, hours of day, time zones and loads until the condition is found; never adds a retry.
snapshot-tests | Snapshot tests people will read: small, named, with what is random taken out.
test-data-builder | Builders for test data that say only what matters for the test at hand.
browser-journeys | Write end-to-end tests of whole journeys with Playwright: roles and labels instead of selectors, no sleeping, one assertion of what the user came for, screenshots in both themes and on a small screen. Use for sign-up, checkout, upload, sharing, and for everything that once broke in production.
load-test | Plan and run a load test: a model of real traffic, a warm-up, percentiles and not averages, and the first bottleneck with evidence.
mutation-testing | Check whether tests notice when the code is wrong.
coverage-gaps | Read a coverage report and say which uncovered lines matter, in order, and which do not.
contract-tests | Pin down what two services expect of each other, run on both sides. Use it when teams deploy independently or when a mock has come to lie.
accessibility-test | Test pages with axe, a keyboard and a screen reader's eyes: names, roles, focus order, contrast in both themes, reflow at 320 pixels, reduced motion. Reports the failed WCAG 2.2 criterion, the element, who is kept out by it, and the smallest change that helps.
fuzz-a-parser | Fuzz code that reads untrusted bytes, with a corpus, a dictionary and a minimised crash for each finding.
test-names | Rename tests so that a list of them reads like a specification.
golden-master | Before changing old code, record what it does for a thousand inputs.

# data
csv-cleaning | Clean tables that people typed: encodings, decimal commas, dates in four orders, merged headers, totals among the rows, units in cells. Every repair is listed so that it can be undone; nothing is guessed in silence.
data-dictionary | Describe every column of a data set: meaning, unit, range, how often it is empty, where it comes from.
chart-choice | Choose a chart for a question, and say what it would hide. Bars from zero, no pie with more than three slices, colour never alone.
statistics-check | Check a statistical claim: sample, comparison, effect with its interval, multiple looks, and the simplest other explanation. Use when somebody says "significant", compares before with after, or reports the winner of an experiment after looking at it daily.
sql-from-question | From a question in words to a query, with the assumptions said aloud and a check on a known number.
notebook-to-module | Move what works in a notebook into functions with tests, and leave a notebook that calls them.
pipeline-design | Design a data pipeline that can be run again: idempotent steps, late data, schema changes, backfills, and an alarm that fires when nothing arrives rather than only when something breaks. Draws the flow, names an owner for every table, and says what it costs each month.
geo-data | Work with coordinates: reference systems, axis order, simplification, joins by place, and maps without lies.
anonymise | Remove or blur what identifies people, measure what risk is left, and document both. Knows quasi-identifiers, small cells, free text, dates of birth, and that a hash is not anonymous.
time-series | Seasonality, gaps, changes of clocks, outliers and forecasts with honest bands.
survey-analysis | From raw answers to findings: weighting, free text coded twice, what cannot be concluded.
spreadsheet-audit | Find the wrong formula: ranges that stop early, constants typed over formulas, units mixed in a column, circular references that somebody switched off.
json-schema | Derive a JSON Schema from examples and tighten it until it refuses the bad ones.

# operations
deploy-checklist | Walk through a deployment: migration order, flags, health checks, who is watching, and how to go back within five minutes. Use before every release to production, and read aloud when two people do it.
log-investigation | Find the story in logs: establish one time zone, pick one request, follow its identifiers across services, then count how many others share its fate. Ends in a timeline with quoted lines and says plainly what the logs cannot show.
dockerfile-review | Smaller, faster to build, not root, and the same image every time.
kubernetes-debug | Why a pod does not start, restarts or cannot be reached: events first, then probes, resources, image, network policy, DNS, in that order, with the command for each and what its output means. Use when somebody says CrashLoopBackOff, ImagePullBackOff, OOMKilled, Pending, or "it works locally".
cost-review | Where does the cloud bill come from, what is idle, what is oversized, and what would each saving risk?
backup-drill | Restore a backup on a Tuesday afternoon, and time it.
terraform-plan | Read a Terraform plan and point at what will be destroyed, replaced or opened to the world.
oncall-handover | Hand over the pager: what is burning, what smoulders, what was tried.
runbook | Write a runbook that works at three in the morning: symptom, check, step, expected output, whom to call. Every command can be pasted. No step says "as appropriate".
capacity-planning | How long until the disk, the connections or the people run out, at today's growth and at twice that.
secrets-rotation | Rotate a secret without an outage: two valid at once, switch readers, switch writers, revoke, verify. Keeps a list of what uses which secret and finds the ones nobody remembers.
ci-speedup | Make the build faster: measure first, then cache, split, and delete.
slo-design | Choose service level objectives with the people who feel them, with error budgets that change behaviour.
network-trace | Read packet captures and traces of requests to tell a slow network from a slow server.

# security
threat-model | Draw what you are building, say what can go wrong, decide what to do about it, check whether it was enough. One page, with the assumptions. Use at the start of anything that handles money, personal data, uploads, sign-in, or that lets strangers send bytes.
dependency-advisories | Read security advisories for the dependencies at hand and say which concern us: is the vulnerable function reached at all, with what input, by whom, and what is the smallest upgrade?
secrets-scan | Look for credentials in files and in the history, and what to do when one was found.
input-validation | Check every door: lengths, types, encodings, paths, archives, nested structures; refuse with a sentence.
csp-policy | Write a Content-Security-Policy without unsafe-inline and find what it breaks.
auth-review | Review sign-in, sessions, password reset and permissions. Tries what an attacker would: another user's identifier in the address, a token used twice, a reset link after the password changed, a role removed while signed in, cross-site posts, timing. Reports with the request that shows it.
phishing-sample | Take apart a suspicious message safely and explain to colleagues how to tell.
privacy-request | Answer a request for access or deletion: find a person's data everywhere, logs and backups included, and within the term.
upload-safety | Handling of files from strangers: types by content, limits before reading, archives that explode, paths that escape, images that carry scripts, names that are not names.
crypto-choices | Which primitive for which purpose, with today's parameters, and never a home-made one.
hardening-linux | Harden a server step by step, and verify each.
audit-trail | What to record so that in a year one can tell who did what, without keeping what must not be kept.

# design
design-critique | Give a critique of a screen: what is its one purpose, does the eye find it, what can go, what is missing when there is no data, too much data, an error, a slow network, a small screen, a large font. Use when shown a mock-up, a screenshot or a page. Praises what to keep and proposes the smallest change with the largest effect first.
empty-states | Write and draw what people see before there is anything to see.
colour-system | Build a palette with tokens for light and dark, contrast that passes, colours told apart by people who cannot tell red from green, and names by role and not by hue.
form-design | Forms that people finish: one column, labels above, help before the field, errors beside it, nothing asked twice.
icon-set | Draw icons on one grid with one stroke.
interview-guide | Prepare interviews with users: open questions about the last time they did it, no leading, no asking what they would do.
usability-test | Plan a usability test with five people: tasks without hints, what to measure, how to note, and a report of one page. Use before building something large or when two people cannot agree about a design.
microcopy | Buttons, labels, hints and confirmations: verbs first, the same word for the same thing, no jokes where money is involved.
information-architecture | Sort content with people, name the groups, test the names.
motion | When to animate, how long, and when never.
responsive-layout | Layouts that hold from 320 pixels to a projector, without hiding what matters on the small ones.
print-stylesheet | Make a page print well on A4: no navigation, black on white, tables that break between rows, addresses of links.

# product
user-story | Turn a wish into a story with acceptance criteria that can be tested, and ask for the problem when only a solution was given.
prioritise | Order a backlog by value, effort, risk and what it unblocks; shows the order under three different weights and says what changes.
pricing-page | Structure and text for pricing that needs no sales call.
competitor-scan | Look at what others do for the same need, with sources and dates, and separate facts from impressions. Never copies text. Use when planning a feature others already have, or when somebody says that everyone does it.
roadmap | A roadmap of outcomes with confidence, not of dates with hope.
experiment-design | Design an A/B test: hypothesis, metric, guardrails, sample size, duration, and the decision for each outcome, written down before it starts. Refuses to stop early without a plan for that.
feedback-synthesis | Read reviews, tickets, interviews and calls, and bring out what keeps coming back, with quotes and counts and the voices that disagree. Distinguishes what people ask for from what they are trying to do, marks what comes from one loud customer, and keeps a link to every source so that anybody can check.
launch-plan | Who needs to know what, when; what could go wrong; how will we know that it worked?
one-pager | Problem, people, proposal, what it is not, how we will know. One page.
okr-draft | Objectives that inspire and key results that can fail.
persona | Describe a typical user from evidence, not from imagination.
metrics-tree | From the number the company cares about down to the numbers a team can move.
sunset-plan | Take a feature away with grace: who uses it, what replaces it, the export, the dates, the last message.

# office
travel-plan | Plan a trip with trains first: connections with spare time, night trains, what needs to be booked today.
expense-report | Sort receipts into an expense report by the rules of the house; lists what is missing.
calendar-triage | Look at a week and propose what to decline, shorten, move or prepare.
email-reply | Draft a reply in the writer's own tone: answer first, reason second, one clear request. Asks before promising a date.
contract-summary | Summarise a contract: parties, term, notice, money, liability, renewal, what is unusual. Says clearly that it is no legal advice and marks the clauses to show to a lawyer. Use for leases, service agreements, data processing agreements, employment contracts and the general terms somebody is about to accept.
invoice-check | Compare an invoice with the order and the delivery.
slide-deck | From notes to slides: one statement a slide as its title, evidence under it, no paragraphs, sources at the foot. Makes the outline first and asks whether the story holds before writing any slide.
job-advert | Advert for a position that describes the work, the team and the pay, in words that invite everyone.
onboarding-plan | First day, first week, first month for a new colleague, with a person for each question.
workshop-agenda | An agenda with times, purpose and materials, energy considered, and what to cut when it runs late.
feedback-talk | Prepare a difficult conversation: observation, effect, wish.
minutes-to-tasks | Turn minutes into tasks.
data-room | Prepare documents for due diligence: structure, index, gaps, what to redact.

# research
literature-search | Search the literature on a question: databases, search strings, inclusion criteria, a flow of numbers from found to kept, and a table of what was kept. Use when somebody needs more than the three papers they already know. Reports the date of search and what could not be accessed.
paper-summary | What did they ask, do, find; how sure is it; what would change my mind?
claim-check | Check one factual claim against primary sources, quote them, and say how confident the answer is and what it rests on.
experiment-log | Keep a lab notebook: purpose, set-up, what was seen, what was changed, raw files, next step.
peer-review | Review a manuscript: summary, strengths, major points with what would settle them, minor points by line. Courteous, specific, and honest about what is outside the reviewer's field.
citation-format | Format references in a given style, find missing fields, and never invent a DOI.
figure-for-paper | Make a figure that survives grey printing and a reader in a hurry.
hypothesis-tree | Break a question into competing explanations and the observation that would tell them apart.
replication | Repeat a published analysis from its data, list every choice the text leaves open, and report how much the result moves with each. Use before building on a result.
ethics-form | Draft an ethics application: risks, consent in plain words, storage, withdrawal, contact.
poster | A conference poster that can be read from two metres.
notes-to-outline | Order scattered notes into an argument, and mark the holes in it.
"""
