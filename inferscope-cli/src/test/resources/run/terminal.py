"""Runs a command on a terminal of its own, types a key when it says "ready", and prints what came and how it ended."""
import os
import pty
import sys

key = {"ctrl-c": b"\x03", "ctrl-backslash": b"\x1c"}[sys.argv[1]]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
output, typed = b"", False
while True:
    try:
        data = os.read(terminal, 65536)
    except OSError:
        break
    if not data:
        break
    output += data
    if not typed and b"ready" in output:
        os.write(terminal, key)
        typed = True
_, status = os.waitpid(pid, 0)
sys.stdout.write(output.decode("utf-8", "replace"))
print("exit", os.waitstatus_to_exitcode(status))
