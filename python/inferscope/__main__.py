"""``python -m inferscope``: starts the launcher of this installation, like the command ``inferscope``."""

import os
import sys
from importlib import metadata

LAUNCHER = "share/inferscope/bin/inferscope"
MISSING = (
    "only the recorder for Python programs is installed here, without the program that makes reports; install the wheel of"
    " InferScope, or use scripts/inferscope of a checkout"
)


def launchers():
    """Yields the possible places of the launcher: beside a distribution's python/, in a checkout, in an installed
    package."""
    package = os.path.dirname(os.path.realpath(__file__))
    above = os.path.dirname(os.path.dirname(package))
    if os.path.isdir(os.path.join(above, "lib")):
        yield os.path.join(above, "bin", "inferscope")
    if os.path.isfile(os.path.join(above, "pom.xml")):
        yield os.path.join(above, "scripts", "inferscope")
    try:
        for file in metadata.files("inferscope-profiler") or ():
            if str(file).endswith(LAUNCHER):
                yield str(file.locate())
    except metadata.PackageNotFoundError:
        pass
    yield os.path.join(os.path.dirname(package), LAUNCHER)  # pip install --target


def main():
    for launcher in launchers():
        if os.access(launcher, os.X_OK):
            sys.stdout.flush()
            os.execv(launcher, [launcher] + sys.argv[1:])
    sys.stderr.write("inferscope: %s\n" % MISSING)
    return 4


if __name__ == "__main__":
    sys.exit(main())
