"""Remembers in a build folder which slow checks passed on which files, so that an unchanged tree does not repeat them.

SPILLWAY_NO_STAMPS in the environment forgets all of it.
"""
import hashlib
import os
import pathlib


def files_key(paths, *texts) -> str:
    """A key made of the contents of files, folders (all files below) and texts."""
    digest = hashlib.sha256()
    for text in texts:
        digest.update(str(text).encode() + b"\0")
    for path in map(pathlib.Path, paths):
        files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
        for file in files:
            digest.update(str(file).encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def passed_before(stamp: pathlib.Path, key: str) -> bool:
    return "SPILLWAY_NO_STAMPS" not in os.environ and stamp.is_file() and stamp.read_text() == key


def remember(stamp: pathlib.Path, key: str) -> None:
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(key)
