"""Measures how busy the machine was during an attempt, and decides about failed attempts, for tests that only a quiet machine can judge.

The twin of QuietMachine, which judges the Java tests.
"""

import os
import resource
import textwrap
import threading
import time

FAILURES, BUSY = 2, 0.1
SLEEP_S = 0.005
REASON_CHARACTERS = 400


class Noise:
    """Measures from now on what disturbs this program and its children. Its thread ends with the ``with`` block."""

    def __init__(self):
        self.begin, self.all_s, self.own_s, self.late_s = time.monotonic(), busy_s(), own_s(), 0.0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.sleep, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.over.set()
        self.thread.join()

    def sleep(self):
        while not self.over.is_set():
            start = time.monotonic()
            time.sleep(SLEEP_S)
            self.late_s += late_s(time.monotonic() - start)

    def shares(self):
        """Returns the share of the CPUs' time that other programs used, as far as the kernel shows it, and how late a sleeping thread woke up, as a
        share of the time. The thread is also late if the kernel shows nothing, because a quota, a hypervisor or a sandbox stopped this process."""
        passed_s = time.monotonic() - self.begin
        others_s = (busy_s() - self.all_s) - (own_s() - self.own_s)
        return max(0.0, others_s / (passed_s * os.cpu_count())), self.late_s / passed_s


def late_s(slept_s):
    """Returns how late a sleep of this length ended. Up to twice the time is not late, because beside two busy threads per CPU, which a test itself
    may have, a thread waits that long for its turn."""
    return slept_s - SLEEP_S if slept_s > 2 * SLEEP_S else 0.0


def outcome(failures):
    """Returns what to do after failed attempts, given the shares of each: "fail" after two on a quiet machine, "skip" after two on a busy one, else
    "repeat". An attempt that succeeds is enough."""
    busy = sum(max(shares) > BUSY for shares in failures)
    if len(failures) - busy >= FAILURES:
        return "fail"
    return "skip" if busy >= FAILURES else "repeat"


def told(shares):
    return "other programs took %.0f %% of the CPUs' time, a sleeping thread was late for %.0f %%" % tuple(100 * share for share in shares)


def one_line(error):
    """The message of a failed assertion on one line, at most REASON_CHARACTERS long."""
    return textwrap.shorten(str(error), REASON_CHARACTERS, placeholder=" ...")


def busy_s():
    """CPU seconds of all programs: user, nice, system, irq, softirq and steal of /proc/stat. Other guests of the hypervisor count too."""
    with open("/proc/stat", encoding="ascii") as file:
        ticks = [int(word) for word in file.readline().split()[1:9]]
    return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")


def own_s():
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)
