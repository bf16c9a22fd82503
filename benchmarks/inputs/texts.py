"""Text for the workloads: prose and code of the running Python's standard library, the same every time.

Nothing is downloaded and nothing is random. Another release of Python has other texts, so figures are compared within
one run only.
"""

from __future__ import annotations

import functools
import random
import sysconfig
from pathlib import Path

#: What people type in other alphabets, so that no counter is measured on ASCII alone.
OTHER_LANGUAGES = (
    "Почему этот тест проходит только на моей машине?",
    "Können wir die Prüfung für leere Eingaben ergänzen?",
    "このエラーの原因を一行で説明してください。",
    "请把这份清单按大小排序，然后删掉最旧的三项。",
    "¿Dónde se cierra la conexión cuando falla la consulta?",
    "Ça marche 👍 mais la page met deux secondes à s’ouvrir.",
    "لماذا يتوقف العامل بعد الرسالة الأولى؟",
)
#: One text in so many has such a sentence in it.
_EVERY = 12

#: The longest text made, in characters; real tool results have a long tail, which a lognormal length gives.
_LONGEST = 12_000
_SPREAD = 0.8


@functools.cache
def _prose() -> str:
    """The help topics of Python, as one text of sentences."""
    from pydoc_data.topics import topics

    return " ".join(" ".join(topics[name].split()) for name in sorted(topics))


@functools.cache
def _code() -> tuple[str, ...]:
    """The lines of the standard library's own modules, blank ones left out."""
    library = Path(sysconfig.get_paths()["stdlib"])
    sources = (path.read_text(encoding="utf-8", errors="replace") for path in sorted(library.glob("*.py")))
    return tuple(line for source in sources for line in source.splitlines() if line.strip())


def prose(chance: random.Random, mean_chars: int) -> str:
    """Some sentences of about so many characters."""
    wanted, pool = _length(chance, mean_chars), _prose()
    start = pool.index(" ", chance.randrange(len(pool) - _LONGEST - 100)) + 1
    text = pool[start : start + wanted].strip() or "Go on."
    return f"{text} {chance.choice(OTHER_LANGUAGES)}" if chance.randrange(_EVERY) == 0 else text


def code(chance: random.Random, mean_chars: int) -> str:
    """Some consecutive lines of code of about so many characters."""
    wanted, lines = _length(chance, mean_chars), _code()
    at = chance.randrange(len(lines) - _LONGEST)
    taken: list[str] = []
    while wanted > 0:
        taken.append(lines[at])
        wanted -= len(lines[at]) + 1
        at += 1
    return "\n".join(taken)


def output(chance: random.Random, mean_chars: int) -> str:
    """What a tool prints: lines of code with line numbers or file names before them, or bare."""
    lines = code(chance, mean_chars).split("\n")
    match chance.randrange(3):
        case 0:
            return "\n".join(f"{number:>5}\t{line}" for number, line in enumerate(lines, chance.randrange(1, 900)))
        case 1:
            return "\n".join(f"src/{word(chance)}.py:{chance.randrange(1, 2000)}: {line}" for line in lines)
        case _:
            return "\n".join(lines)


def word(chance: random.Random) -> str:
    """One lower-case word."""
    pool = _prose()
    while True:
        at = pool.index(" ", chance.randrange(len(pool) - 100)) + 1
        found = pool[at : pool.index(" ", at)]
        if found.isascii() and found.isalpha() and found.islower() and len(found) > 2:
            return found


def _length(chance: random.Random, mean_chars: int) -> int:
    """A length whose mean is about `mean_chars`, most shorter and a few much longer."""
    drawn = chance.lognormvariate(-_SPREAD * _SPREAD / 2, _SPREAD) * mean_chars
    return max(8, min(int(drawn), _LONGEST))
