"""Look-ups that ask whose a thing is: of another's, a reader learns no more than of one that never was."""

from __future__ import annotations

from django.http import Http404


def found_or_404[T](found: T | None, what: str) -> T:
    """What was found; `what` names it ("workspace").

    Raises:
        Http404: nothing was found that this reader may see.
    """
    if found is None:
        raise Http404(f"There is no such {what}")
    return found
