"""Reads reports: ``inferscope.open("report.json")``, or any recording that ``inferscope analyze`` reads.

Plain objects over the JSON report, whose members docs/report-json.md describes: this module computes nothing of its own.
Times are whole nanoseconds, shares are ratios from 0 to 1.
"""

from __future__ import annotations

import builtins
import html
import json
import os
import re
import subprocess
from typing import Any, List

from ._signals import pass_on

SCHEMA = "inferscope-report/"
FIRST_BYTES = 4096  # of a file, in which a report names its schema
CLASSES_SHOWN, FINDINGS_SHOWN = 6, 5
# What a terminal obeys, or what changes the order of text: PlainText.java.
OBEYED = re.compile("[\0-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb\ufffe\uffff"
                    "\U000e0000-\U000e0fff]")


class ReportError(Exception):
    """There is no report: the message says why, and ``exit_code`` is that of the command, 0 if none ran."""

    def __init__(self, message: str, exit_code: int = 0) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class Row(dict):
    """An object of the report. Its members are items and attributes: ``row["claim"]`` is ``row.claim``."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError("no member %r; there are %s" % (name, ", ".join(self))) from None

    def __dir__(self):
        return [*super().__dir__(), *self]


class Table(List[Row]):
    """Rows in reading order, the largest or most important first."""

    __slots__ = ()

    def to_pandas(self) -> Any:
        """Returns a DataFrame with a column for each member. Needs pandas."""
        import pandas

        return pandas.DataFrame(list(self))


class Report:
    """A report. Each member of the JSON report is an attribute, its lists of objects are tables: ``report.verdict.bound``,
    ``report.findings[0].claim``, ``report.kernels.to_pandas()``.

    ``path``: the recording or the report that it was read from. ``limits``: the sentences of ``--fail-on`` limits that are
    broken, empty where there are none.
    """

    title: str
    verdict: Row
    diagnosis: list[str]
    ledgers: Table
    findings: Table

    def __init__(self, members: Row, path: str, limits=(), options=()) -> None:
        self.members, self.path, self.limits, self._options = members, path, list(limits), options

    def __getattr__(self, name: str) -> Any:
        if name == "members":  # not yet there, as when an object is copied
            raise AttributeError(name)
        return getattr(self.members, name)

    def __dir__(self):
        return [*super().__dir__(), *self.members]

    @property
    def ledger(self) -> Row:
        """The ledger of what is judged: the classes of its time, which sum to its length."""
        return self.members["ledgers"][0]

    @property
    def tables(self) -> dict[str, Table]:
        """The tables that have rows, by name."""
        return {name: value for name, value in self.members.items() if isinstance(value, Table) and value}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the report, in the format of the file's ending: .html, .md, .json, ... (``inferscope analyze -o``)."""
        _command(["analyze", "-o", os.fspath(path), *self._options, "--", self.path])

    def __str__(self):
        lines = [self.title, self.verdict.claim, *self.diagnosis]
        lines += ["- %s: %s" % (finding.severity, finding.claim) for finding in self.findings[:FINDINGS_SHOWN]]
        return "\n".join(map(plain, lines))

    def __repr__(self):
        return plain("<report on %s: %s>" % (self.title, self.verdict.bound))

    def _repr_html_(self):
        """What a notebook shows: every text of the report is escaped."""

        def text(value):
            return html.escape(plain(value))

        classes = sorted(self.ledger.classes, key=lambda one: -one.ns)[:CLASSES_SHOWN]
        parts = ["<p><b>%s</b><br>%s</p>" % (text(self.title), text(self.verdict.claim))]
        parts += ["<ul>%s</ul>" % "".join("<li>%s</li>" % text(one) for one in self.diagnosis)] if self.diagnosis else []
        rows = "".join("<tr><td>%s</td><td>%.1f %%</td></tr>" % (text(one.id), 100 * one.share) for one in classes)
        parts.append("<table><tr><th>%s</th><th>share</th></tr>%s</table>" % (text(self.ledger.subject), rows))
        rows = "".join("<tr><td>%s</td><td style='text-align:left'>%s</td></tr>" % (text(one.severity), text(one.claim))
                       for one in self.findings[:FINDINGS_SHOWN])
        if rows:
            parts.append("<table><tr><th>severity</th><th style='text-align:left'>finding</th></tr>%s</table>" % rows)
        return "".join(parts)


def open(path: str | os.PathLike[str], *options: str, niceness: int = 0) -> Report:
    """Returns the report on a recording, or the one that a JSON report holds.

    ``options``: more options of ``inferscope analyze``, such as ``"--scope", "decode"``; only for recordings. ``niceness``: by
    how much the command's priority is lower than this process's, from 0 to 19.
    Raises ReportError where there is no report: the file is missing, damaged or of no known format.
    """
    path = os.fspath(path)
    if is_report(path):
        if options:
            raise ReportError("%s is a report already: options are for recordings" % path)
        with builtins.open(path, "rb") as file:
            return parsed(file.read(), path)
    return parsed(_command(["analyze", "--format", "json", *options, "--", path], niceness), path, options=options)


def plain(text):
    """A text of the recorded program on one line, without characters that a terminal would obey."""
    return OBEYED.sub(lambda found: " " if found.group() in "\t\n\r" else "\\u{%x}" % ord(found.group()), str(text))


def is_report(path):
    """Whether a file is a JSON report: anything else is for ``inferscope analyze``, which says what it cannot read."""
    try:
        with builtins.open(path, "rb") as file:
            return b'"schema": "' + SCHEMA.encode() in file.read(FIRST_BYTES)
    except OSError as error:
        pass_on(error)
        return False


def _row(members):
    """An object of JSON, whose lists of objects are tables."""
    return Row((name, Table(value) if isinstance(value, list) and all(isinstance(one, Row) for one in value) else value)
               for name, value in members.items())


def parsed(text, path, limits=(), options=()):
    """Returns the report that a JSON report's text or bytes hold."""
    try:
        members = json.loads(text, object_hook=_row)
        if members["schema"].startswith(SCHEMA):
            return Report(members, path, limits, options)
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        pass
    raise ReportError("%s is not a whole report of InferScope" % path)


def _command(words, niceness=0):
    """Runs InferScope, and returns what it printed."""
    nice = ["nice", "-n", str(niceness)] if niceness else []
    done = subprocess.run([*nice, launcher(), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        raise ReportError(reason(done.stderr.decode("utf-8", "replace")), done.returncode)
    return done.stdout


def launcher():
    """Returns the command of this installation."""
    from .__main__ import MISSING, launchers

    for one in launchers():
        if os.access(one, os.X_OK):
            return one
    raise ReportError(MISSING)


def reason(said):
    """The message among what InferScope wrote to standard error."""
    messages = [line[len("inferscope: "):] for line in said.splitlines() if line.startswith("inferscope: ")]
    return messages[-1] if messages else said.strip() or "inferscope ended without a message"
