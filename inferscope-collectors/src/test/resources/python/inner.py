"""A thread that runs code in an interpreter of its own."""

import os
import sys
import threading

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

READ, WRITE = os.pipe()
SCRIPT = """
import os
def inside():
    os.write(%d, b"x")
    os.read(0, 1)
inside()
""" % WRITE


def outside():
    sub = interpreters.create()
    (interpreters.exec if hasattr(interpreters, "exec") else interpreters.run_string)(sub, SCRIPT)


thread = threading.Thread(target=outside, daemon=True)
thread.start()
os.read(READ, 1)
sys.stdout.write("stack\x1f%d\x1finside\nready\n" % thread.native_id)
sys.stdout.flush()
thread.join()
