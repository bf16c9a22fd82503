"""Budgeteer installed from its wheel into an environment of its own, as the Dockerfile's stages do it."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.servers import ServerMissing

ROOT = Path(__file__).resolve().parents[2]
PACKED = ("budgeteer", "templates", "static", "pyproject.toml", "requirements.txt", "constraints.txt", "README.md")
"""What an installation depends on, by its place in the checkout."""

KEPT_SECONDS = 24 * 3600


@dataclass(frozen=True, slots=True)
class Installation:
    """An environment with Budgeteer and nothing of the checkout; `variables` are what its programs need to start."""

    folder: Path
    wheel: Path
    variables: dict[str, str]

    def program(self, name: str) -> str:
        return str(self.folder / "venv" / "bin" / name)

    @property
    def packages(self) -> Path:
        return next((self.folder / "venv" / "lib").glob("python3*/site-packages"))


def uv_program() -> str:
    """The installer that `make` uses.

    Raises:
        ServerMissing: there is none.
    """
    found = ROOT / ".deps" / "uv" / "bin" / "uv"
    if found.exists():
        return str(found)
    if on_path := shutil.which("uv"):
        return on_path
    raise ServerMissing("uv is not here. Run `make env`, which brings it.")


def build_wheel(folder: Path) -> Path:
    """The wheel of the checkout, written to the folder."""
    run([uv_program(), "build", "--quiet", "--wheel", "--out-dir", str(folder), str(ROOT)])
    [wheel] = folder.glob("*.whl")
    return wheel


def install(folder: Path, *, has_extras: bool = False, for_everybody: bool = False) -> Installation:
    """Build the wheel and install it with the pinned versions into `folder/venv`.

    Args:
        folder: an empty one, or one to be made.
        has_extras: with everything in requirements.txt, whose hashes are verified, as in the image; else with what the
            wheel itself asks for.
        for_everybody: any account of this machine can run it; bytecode is compiled now, as in the image.
    """
    folder.mkdir(parents=True, exist_ok=True)
    wheel = build_wheel(folder / "wheels")
    python, variables = Path(sys.executable), {}
    if for_everybody and not _everybody_may_run(python):
        python = _linked_python(folder / "python")
        variables = {"LD_LIBRARY_PATH": str(folder / "python" / "lib")}
    environment = os.environ | variables
    run([uv_program(), "venv", "--quiet", "--python", str(python), str(folder / "venv")], environment)
    inside = str(folder / "venv" / "bin" / "python")
    installing = [uv_program(), "pip", "install", "--quiet", "--python", inside, "--only-binary", ":all:"]
    if has_extras:
        run([*installing, "--require-hashes", "--requirement", str(ROOT / "requirements.txt")], environment)
        run([*installing, "--no-deps", str(wheel)], environment)
        run([uv_program(), "pip", "check", "--quiet", "--python", inside], environment)
    else:
        run([*installing, "--constraint", str(ROOT / "constraints.txt"), str(wheel)], environment)
    if for_everybody:
        compiling = [inside, "-m", "compileall", "-q", "-j", "0", "--invalidation-mode", "unchecked-hash"]
        run([*compiling, str(folder / "venv" / "lib")], environment)
    return Installation(folder, wheel, variables)


def shared_installation(*, for_everybody: bool) -> Installation:
    """An installation with extras that nobody changes, made once for each state of the checkout.

    Every process of a test run, and a later run over the same files, uses the same one. It lies in the folder for
    temporary files; those of other states of the checkout are removed a day after they were made.
    """
    places = Path(tempfile.gettempdir())
    prefix = f"budgeteer-installation-{'everybody' if for_everybody else 'own'}-"
    folder = places / f"{prefix}{_state_of_checkout()}"
    for other in places.glob(f"{prefix}*"):
        if other != folder and time.time() - other.stat().st_mtime > KEPT_SECONDS:
            shutil.rmtree(other, ignore_errors=True)
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = folder / "done"
        if not done.exists():
            shutil.rmtree(folder / "app", ignore_errors=True)  # of one that was stopped in the middle
            made = install(folder / "app", has_extras=True, for_everybody=for_everybody)
            variables = [f"{name}={value}" for name, value in made.variables.items()]
            done.write_text("\n".join([str(made.wheel), *variables]))
    wheel, *variables = done.read_text().split("\n")
    return Installation(folder / "app", Path(wheel), dict(line.split("=", 1) for line in variables))


def _state_of_checkout() -> str:
    """A name for what would be installed: the interpreter, and the names and contents of the files."""
    found = hashlib.sha256(f"{sys.version} {Path(sys.executable).resolve()}".encode())
    for place in PACKED:
        for file in _files_of(ROOT / place):
            content = hashlib.sha256(file.read_bytes()).hexdigest()
            found.update(f"{file.relative_to(ROOT)} {content}\n".encode())
    return found.hexdigest()[:16]


def _files_of(place: Path) -> Iterator[Path]:
    if place.is_file():
        yield place
        return
    yield from sorted(file for file in place.rglob("*") if file.is_file() and file.suffix != ".pyc")


def run(command: list[str], environment: dict[str, str] | None = None) -> None:
    """Run a program to its good end; what it said is in the error otherwise."""
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"


def _everybody_may_run(python: Path) -> bool:
    """Whether no folder above the interpreter keeps other accounts out."""
    real = python.resolve()
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in (real, *real.parents))


def _linked_python(folder: Path) -> Path:
    """The interpreter this runs on once more, by hard links, where other accounts can reach it."""
    base = Path(sys.base_prefix)
    library = f"python{sys.version_info.major}.{sys.version_info.minor}"
    (folder / "bin").mkdir(parents=True)
    without = shutil.ignore_patterns("site-packages", "test", "idlelib", "ensurepip", "__pycache__/test*")
    shutil.copytree(base / "lib" / library, folder / "lib" / library, copy_function=_link, ignore=without)
    for shared in (base / "lib").glob("libpython3*.so*"):
        _link(str(shared), str(folder / "lib" / shared.name))
    target = folder / "bin" / library
    _link(str(Path(sys.executable).resolve()), str(target))
    return target


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copy2(source, target)
