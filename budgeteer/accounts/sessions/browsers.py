"""What a browser says it is, in words that its owner knows: by ua-parser's rules."""

from __future__ import annotations

from typing import Final

#: So much of the header is kept; real ones have 100 to 250 characters.
AGENT_CHARS: Final = 400


def browser_words(user_agent: str) -> str:
    """As in "Firefox on Linux"; "Unknown browser" where nothing is known."""
    # Its tables take some megabytes and a part of a second, and one page in the dashboard needs them.
    from ua_parser import parse

    found = parse(user_agent[:AGENT_CHARS])
    browser = found.user_agent.family if found.user_agent else ""
    system = found.os.family if found.os else ""
    if not browser:
        return f"Unknown browser on {system}" if system else "Unknown browser"
    return f"{browser} on {system}" if system else browser
