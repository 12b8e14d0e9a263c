"""An entry of several measurements: `lab/ENTRY WHAT [OPTION...]` runs the module WHAT of a folder beside it."""

import importlib
import pathlib
import sys

LAB = pathlib.Path(__file__).resolve().parent


def enter(about, folder, names):
    """Runs what the first word says. `about` is the entry's docstring; without a word that is known it is printed with the first line of each."""
    known = {name: name.replace("-", "_") for name in names}
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    sys.path.insert(0, str(LAB / folder))
    if word in known:
        sys.argv[:2] = ["%s %s" % (sys.argv[0], word)]
        return importlib.import_module(known[word]).main()
    print(about)
    for name, module in known.items():
        print("    %-12s%s" % (name, (LAB / folder / (module + ".py")).read_text(encoding="utf-8").split('"""', 1)[1].split("\n")[0]))
    return 0 if word in ("-h", "--help") else 2
