"""The settings of the shape recorder, read from the environment."""

import os
import sys

SPELLINGS = ("INFERSCOPE_SHAPES", "SGLANG_PROFILE_SHAPES")
OFF = ("", "0", "false", "no", "off")


class Settings:
    """rank: the rank to record, or None for all; file: where to; skip: forward passes to leave out at the start;
    passes: how many to record after that, 0 for all; dedupe: whether repeated calls are left out, None for "as the
    program is"; fields: what to record besides."""

    def __init__(self, environ):
        self.environ, self.complaints = environ, []
        self.rank = None if self._text("_RANK").lower() == "all" else self._number("_RANK")
        self.file = os.path.abspath(self._text("_FILE") or "shapes.jsonl")
        self.skip, self.passes = self._number("_SKIP_WARMUP"), self._number("_LOG_N_PASSES")
        text = self._text("_DEDUPE")
        self.dedupe = None if text == "" else text.lower() not in OFF
        self.fields = tuple(field for field in self._text("_FIELDS").replace(" ", "").split(",") if field)
        self.complaints += ["SGLANG_PROFILE_SHAPES_FIELDS: %s is not known; device and stride are" % field
                            for field in self.fields if field not in ("device", "stride")]
        for complaint in self.complaints:
            print("inferscope: " + complaint, file=sys.stderr)

    @staticmethod
    def of(environ):
        """The settings, or None when recording is not asked for."""
        for spelling in SPELLINGS:
            if spelling in environ:
                return None if environ[spelling].strip().lower() in OFF else Settings(environ)
        return None

    def _text(self, ending):
        for spelling in SPELLINGS:
            if spelling + ending in self.environ:
                return self.environ[spelling + ending].strip()
        return ""

    def _number(self, ending):
        text = self._text(ending)
        if text and not text.isdigit():
            self.complaints.append("SGLANG_PROFILE_SHAPES%s=%s is not a number; 0 is used" % (ending, text))
        return int(text) if text.isdigit() else 0

    def file_of(self, rank):
        """A rank's file: the named file or, if all ranks are recorded, its name with the rank before the extension."""
        if self.rank is not None:
            return self.file
        stem, ending = os.path.splitext(self.file)
        return "%s_rank%d%s" % (stem, rank, ending)
