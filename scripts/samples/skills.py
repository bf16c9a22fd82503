"""The sample library of skills: `SKILL.md` files with front matter and a body, by path inside the zip."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from samples.skills_table import TABLE

PREFIX = "skills-main"  # archives from a code host carry the repository's name
OF_AGENT = ("code", "testing", "operations")
AGENT_COUNT = 24

OPENINGS = (
    "Ask what the result is for before starting; the same request from two people often means two things.",
    "Work on a copy. Show the first result early, then go on.",
    "Begin with what is already there: somebody may have done half of it.",
    "Say at the start how long it will probably take and what could make it longer.",
)
STEPS = (
    "Collect what is given and list what is missing. Ask once, with all questions together.",
    "Write down what would count as done, in a sentence the person can disagree with.",
    "Do the smallest whole version first, from one end to the other.",
    "Compare it with two examples that are known to be good, and note where it differs.",
    "Look for the case nobody mentioned: nothing at all, far too much, the wrong language, last year's format.",
    "Check every number against its source; a number without a source is marked as such.",
    "Read the result aloud once. Whatever makes you stumble is changed.",
    "Keep what was decided and why, in two lines, where the next person will look.",
    "Measure before and after, on the same machine, and report both.",
    "Leave out whatever the reader would skip.",
    "Name the one thing that is most likely to be wrong.",
)
AVOID = (
    "Do not fill gaps with what is usual; say that there is a gap.",
    "Do not change what was not asked for, however tempting.",
    "Do not hide a failure in a long list of successes.",
    "Do not promise a date on somebody else's behalf.",
    "Do not paste confidential material into examples.",
)


def _rows() -> list[tuple[str, str, str]]:
    rows, folder = [], ""
    for line in TABLE.strip().splitlines():
        if line.startswith("# "):
            folder = line[2:]
        elif line:
            name, _, description = line.partition(" | ")
            rows.append((folder, name, description))
    return rows


def _front_matter(name: str, description: str, random: Random) -> str:
    if len(description) > 260:
        words, lines, line = description.split(" "), [], ""
        for word in words:
            if len(line) + len(word) > 88:
                lines.append(line)
                line = ""
            line = f"{line} {word}".strip()
        text = "description: >-\n" + "\n".join(f"  {part}" for part in [*lines, line])
    else:
        escaped = description.replace('"', '\\"')
        text = f'description: "{escaped}"'
    extra = random.choice(["", "", "license: MIT\n", 'version: "1.2"\n', "allowed-tools: [Read, Grep, Bash]\n"])
    return f"---\nname: {name}\n{text}\n{extra}---\n"


def _body(name: str, description: str, random: Random) -> str:
    title = name.replace("-", " ").capitalize()
    first = description.split(". ", maxsplit=1)[0].rstrip(".")
    steps = random.sample(STEPS, random.randrange(3, 8))
    lines = [f"# {title}", "", f"{first}.", "", random.choice(OPENINGS), "", "## Steps", ""]
    lines += [f"{number}. {step}" for number, step in enumerate(steps, start=1)]
    if random.random() < 0.6:
        lines += ["", "## What to avoid", "", *(f"- {rule}" for rule in random.sample(AVOID, random.randrange(2, 4)))]
    if random.random() < 0.25:
        lines += [
            "",
            "## Output",
            "",
            "One document, with a heading for each part and a list of open questions at the end.",
        ]
    return "\n".join(lines) + "\n"


def library() -> dict[str, str]:
    """Return every file of the library, by path: the skills and a README that is none."""
    random = Random(120)
    files = {
        f"{PREFIX}/README.md": "# Skills\n\nWhat our teams taught their assistants. One folder a skill, sorted by trade.\n"
    }
    for folder, name, description in _rows():
        files[f"{PREFIX}/{folder}/{name}/SKILL.md"] = (
            _front_matter(name, description, random) + "\n" + _body(name, description, random)
        )
    return files


def of_agent(files: Mapping[str, str]) -> dict[str, str]:
    """Return the part of the library that goes with the sample session."""
    chosen = [path for path in files if path.split("/")[1] in OF_AGENT]
    return {path: files[path] for path in chosen[:AGENT_COUNT]}
