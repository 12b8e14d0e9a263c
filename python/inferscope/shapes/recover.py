"""Finishes the files of shape logs whose processes were killed. ``_shape_recover.py`` beside this package is the script
that calls it."""

import os
import sys

from .files import ShapeFiles
from .reader import alive, remove


def recover(folder):
    """Completes the files of a log whose process has ended. Returns a message. Raises OSError or ValueError and then
    changes nothing."""
    files = ShapeFiles(folder)
    if alive(files.meta):
        raise ValueError("process %d is still recording into %s" % (files.meta["pid"], files.path))
    final, files.path = files.path, files.path + ".recovered"
    try:
        files.make()
        os.replace(files.path, final)
    except BaseException:
        if os.path.exists(files.path):
            os.unlink(files.path)
        raise
    files.path = final
    files.write_summary(False)
    remove(folder)
    return "%s: %d operators, %d of them unfinished" % (final, files.lines, files.unfinished)


def main(folders):
    failed = 0
    for folder in folders:
        try:
            print(recover(folder.rstrip("/")))
            continue
        except (OSError, ValueError) as error:
            said = str(error)
        except (KeyError, TypeError, AttributeError) as error:
            said = "it is damaged (%s: %s)" % (type(error).__name__, error)
        failed = 3
        print("cannot recover %s: %s" % (folder, said), file=sys.stderr)
    return failed
