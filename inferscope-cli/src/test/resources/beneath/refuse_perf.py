"""Executes a command in which the kernel refuses perf_event_open, as a container's default seccomp profile does."""

import ctypes
import os
import struct
import sys

PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}
NO_NEW_PRIVILEGES, SECCOMP, FILTER = 38, 22, 2  # prctl(2)
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06  # bpf(2), classic
REFUSED, ALLOWED = 0x00050001, 0x7FFF0000  # SECCOMP_RET_ERRNO with EPERM, SECCOMP_RET_ALLOW

steps = [(LOAD, 0, 0, 0), (JUMP_IF_EQUAL, 0, 1, PERF_EVENT_OPEN[os.uname().machine]), (RETURN, 0, 0, REFUSED), (RETURN, 0, 0, ALLOWED)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_void_p)]


prctl = ctypes.CDLL(None, use_errno=True).prctl
program = Program(len(steps), ctypes.addressof(code))
if prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) or prctl(SECCOMP, FILTER, ctypes.byref(program), 0, 0):
    sys.exit("no seccomp filter here: " + os.strerror(ctypes.get_errno()))
os.execvp(sys.argv[1], sys.argv[1:])
