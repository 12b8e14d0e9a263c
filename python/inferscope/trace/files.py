"""Files that appear whole or not at all."""

import json
import os
import re

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def without_addresses(text):
    """Returns a text without the addresses that Python names objects by, which differ from run to run."""
    return _ADDRESS.sub("", text)


def write_text(path, text):
    """Writes a text in UTF-8 under another name and renames it when it is complete."""
    unfinished = "%s.unfinished" % path
    with open(unfinished, "w", encoding="utf-8", errors="backslashreplace") as out:
        out.write(text)
    os.replace(unfinished, path)


def write_json(path, value):
    """Writes a document; numbers that JSON does not know (NaN, infinity) are refused."""
    write_text(path, json.dumps(value, indent=1, allow_nan=False, default=str) + "\n")


def write_csv(path, header, rows):
    """Writes a table as RFC 4180 says."""
    import csv
    import io

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows(rows)
    unfinished = "%s.unfinished" % path
    with open(unfinished, "w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        file.write(out.getvalue())
    os.replace(unfinished, path)
