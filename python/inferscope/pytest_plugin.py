"""``pytest --inferscope``: records tests, explains each, and ends with a table.

Tests that are marked ``inferscope`` are recorded, or all if none is marked. A limit of ``--inferscope-fail-on``, or of the
mark (``@pytest.mark.inferscope(fail_on="idle>20%")``), fails the test that breaks it.
"""

import pytest

PROPERTY = "inferscope"
CLAIM_CHARACTERS = 100


def pytest_addoption(parser):
    group = parser.getgroup("inferscope")
    group.addoption("--inferscope", action="store_true", help="record the tests marked inferscope, or all if none is, and explain each")
    group.addoption("--inferscope-fail-on", action="append", default=[], metavar="LIMIT",
                    help="as --inferscope, and a limit, such as 'idle>20%%', fails a recorded test; can be repeated")


def pytest_configure(config):
    config.addinivalue_line("markers", "inferscope(fail_on=''): record and explain this test with --inferscope; fail it if a limit is broken")


def pytest_collection_modifyitems(config, items):
    if config.getoption("inferscope") or config.getoption("inferscope_fail_on"):
        config.inferscope_recorded = {item for item in items if item.get_closest_marker("inferscope")} or set(items)


@pytest.hookimpl(hookwrapper=True)  # Not wrapper=True: every pytest of the environment loads this module, those with pluggy before 1.2 too.
def pytest_runtest_call(item):
    if item not in getattr(item.config, "inferscope_recorded", ()):
        yield
        return
    from inferscope import explain

    limits = list(item.config.getoption("inferscope_fail_on"))
    mark = item.get_closest_marker("inferscope")
    if mark is not None and mark.kwargs.get("fail_on"):
        limits.append(mark.kwargs["fail_on"])
    with explain(*(["--fail-on", ",".join(limits)] if limits else []), name=item.nodeid) as found:
        yield
    item.inferscope_broken = _tell(item, found, limits)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item, call):
    broken = getattr(item, "inferscope_broken", ())
    if broken and call.when == "call" and call.excinfo is None:
        with pytest.raises(pytest.fail.Exception) as call.excinfo:
            pytest.fail("\n".join(broken), pytrace=False)


def _tell(item, found, limits):
    """Keeps what was found for pytest's report on the test, and returns the limits that are broken."""
    from inferscope import ReportError
    from inferscope.report import plain

    try:
        made = found.report
    except ReportError as error:
        item.user_properties.append((PROPERTY, {"verdict": "none", "claim": str(error)}))
        return ["no limit could be checked: %s" % error] if limits else []
    item.add_report_section("call", "inferscope", str(made))
    claims = [*made.limits, *(finding.claim for finding in made.findings), made.verdict.claim]
    item.user_properties.append((PROPERTY, {"verdict": made.verdict.bound, "ms": made.window.durationNs / 1e6, "claim": plain(claims[0])}))
    return made.limits


def pytest_terminal_summary(terminalreporter):
    rows = [(test.nodeid, value) for tests in terminalreporter.stats.values() for test in tests
            for name, value in getattr(test, "user_properties", ()) if name == PROPERTY and getattr(test, "when", "") == "call"]
    if not rows:
        return
    terminalreporter.section("inferscope")
    width = max(len(nodeid) for nodeid, _ in rows)
    for nodeid, value in rows:
        length = "%8.0f ms" % value["ms"] if "ms" in value else " " * 11
        terminalreporter.line("%-*s %s  %-8s %s" % (width, nodeid, length, value["verdict"], value["claim"][:CLAIM_CHARACTERS]))
