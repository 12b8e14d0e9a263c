"""Runs the JMH benchmarks on a trace.

    lab/bench jmh TRACE [JMH OPTION...]
"""

import os
import subprocess
import sys
import tempfile

from measuring import ROOT


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 0 if "--help" in sys.argv else 2
    trace = os.path.realpath(sys.argv[1])
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as file:
        # The file is written once per module; inferscope-bench is the last module, so its file stays.
        subprocess.run(["mvn", "-q", "-pl", "inferscope-bench", "-am", "package", "-DskipTests", "dependency:build-classpath",
                        "-Dmdep.outputFile=" + file.name, "-Dmdep.includeScope=runtime"], cwd=ROOT, check=True)
        with open(file.name, encoding="utf-8") as written:
            others = [one for one in written.read().split(":") if "/inferscope-" not in one]
    classes = [str(one) for one in sorted(ROOT.glob("inferscope-*/target/classes"))]
    return subprocess.run(["java", "-cp", ":".join(classes + others), "org.openjdk.jmh.Main", "-p", "trace=" + trace, *sys.argv[2:]]).returncode
