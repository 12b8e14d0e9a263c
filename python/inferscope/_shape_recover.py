"""Finishes the files of shape logs whose processes were killed: ``python3 _shape_recover.py LOG...``. Needs nothing but
Python."""

import os
import sys

if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    from inferscope.shapes import recover

    sys.exit(recover.main(sys.argv[1:]))
