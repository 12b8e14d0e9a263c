"""Compares the report on a program of the GPU zoo with the program's own measurement."""

POINTS, HEALTHY_BUSY, LOUD = 0.05, 0.9, ("warning", "critical")

# Bits of the driver's reasons for lower clocks (nvmlClocksEventReasons), and the rule that reports them.
CLOCK_RULES = (("clocks-held-down", 0x8 | 0x20 | 0x40 | 0x80), ("power-capped", 0x4))


def window_shares(report):
    ledger = next(one for one in report["ledgers"] if one["part"] == "window")
    return {one["id"]: one["share"] for one in ledger["classes"]}


def judge(truth, report):
    """Returns the problems, none if the report is right, and a row of the table: planted classes, truth, report."""
    shares = window_shares(report)
    if truth["planted"] and truth["planted"]["planted_ns"] > 0:
        return judge_planted(truth, shares, report)
    if truth["program"].startswith("healthy"):
        return judge_healthy(shares, report)
    if truth.get("shared"):
        return judge_rule("shared-device", True, report)
    if truth.get("driver"):
        return judge_clocks(truth["driver"], report)
    busy = sum(share for name, share in shares.items() if name.startswith("gpu."))
    return [], "%-46s %6s %5.1f%%" % ("(looked at, not judged)", "-", 100 * busy)


def judge_planted(truth, shares, report):
    classes = truth["planted"]["classes"]
    clocked = truth["planted"]["planted_ns"] / truth["steady_ns"]
    reported = sum(shares.get(name, 0.0) for name in classes)
    problems = []
    if abs(reported - clocked) > POINTS:
        problems.append("the share is off by %+.1f points" % (100 * (reported - clocked)))
    loud = [one for one in report["findings"] if one["severity"] in LOUD]
    if not loud or not set(loud[0]["causes"]) & set(classes):
        problems.append("the first finding is %s" % (loud[0]["rule"] if loud else "none"))
    return problems, "%-46s %5.1f%% %5.1f%%" % (", ".join(classes)[:46], 100 * clocked, 100 * reported)


def judge_healthy(shares, report):
    busy = sum(share for name, share in shares.items() if name.startswith("gpu."))
    problems = [] if busy >= HEALTHY_BUSY else ["the device is busy for %.1f %%" % (100 * busy)]
    problems += ["%s is a %s" % (one["rule"], one["severity"]) for one in report["findings"] if one["severity"] in LOUD]
    return problems, "%-46s %6s %5.1f%%" % ("-", "-", 100 * busy)


def judge_rule(rule, loud, report):
    """A rule that must have a finding: the first finding above information, or any finding if the rule's severity is information."""
    found = [one["rule"] for one in report["findings"] if not loud or one["severity"] in LOUD]
    right = found[:1] == [rule] if loud else rule in found
    problems = [] if right else ["%s is not found%s" % (rule, " first" if loud else "")]
    return problems, "%-46s %6s %6s" % (rule, "there", "found" if right else "-")


def judge_clocks(told, report):
    """The report must contain each reason that the driver's own tool showed for the first device at least half of the time. lines: clock, highest
    clock, power, reasons."""
    reasons = [int(lines[0][3], 16) for lines in told]
    for rule, bits in CLOCK_RULES:
        if 2 * sum(1 for one in reasons if one & bits) >= len(reasons):
            return judge_rule(rule, False, report)
    return [], "%-46s %6s %6s" % ("(nothing holds the clocks down)", "-", "-")
