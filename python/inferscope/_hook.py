"""Installs hooks: rows of data that name a function and how a call of it is recorded.

A wrapper never changes the program's result or exception. If recording fails, the record is dropped; after three
failures a hook is disabled.
"""

import sys
from time import monotonic_ns

from . import _pieces, _recorder
from ._signals import pass_on
from ._spool_format import (
    COVERAGE_MISSING_WORD, COVERAGE_RECORDED_WORD, NOT_NEEDED, NOT_RECORDED, OK, SPAN_DETAIL_WORD, SPAN_END_NS_WORD,
    SPAN_FAILED, SPAN_HEADER, SPAN_START_NS_WORD, SPAN_VALUE_WORD,
)

FAILURE_LIMIT = 3


class Hook:
    """One row of a hook table.

    module: the import that makes the target exist; path: the attribute path in it; name: the span's name, or a function
    of (args, kwargs) giving it; activity: a number of the spool format; group: of nested calls in one group and thread
    only the outermost is recorded, and "" has no group; value(result, args, kwargs): the span's value, 0 when unknown;
    when(args, kwargs): falsy to leave a call unrecorded, a string becomes the span's detail; wrap(original, state):
    makes a wrapper of its own; optional: some versions of the library lack the target; needs(): why the hook is not
    needed here, or ""; purpose: what is recorded, since a function can be hooked for several purposes, for each once.

    A coroutine function, generator or asynchronous generator is recorded in pieces, one per stretch in which it ran,
    because other tasks run on the thread while it is suspended.
    """

    def __init__(self, module, path, name="", activity=0, group="", value=None, when=None, wrap=None, optional=False, needs=None,
                 purpose="spans"):
        self.module, self.path, self.name, self.activity, self.group = module, path, name, activity, group
        self.value, self.when, self.wrap, self.optional, self.needs, self.purpose = value, when, wrap, optional, needs, purpose

    @property
    def source(self):
        return "%s:%s.%s" % ("hook" if self.purpose == "spans" else self.purpose, self.module, self.path)


class State:
    """What became of one hook: calls recorded, failures, why it records nothing, and its COVERAGE record in the
    spool."""

    def __init__(self, source):
        self.source, self.recorded, self.failures, self.word, self.off, self.why = source, 0, 0, 0, False, ""

    def report(self, status, why=""):
        self.why = why if status == NOT_RECORDED else ""
        if _recorder.current is not None:
            _recorder.current.coverage(self.source, status, why, self.recorded, self.failures, self._stored)

    def _stored(self, word):
        self.word = word

    def failed(self, error):
        """Counts a failure, unless the exception is the program's. A stack that is nearly full is the program's own affair
        and turns nothing off."""
        pass_on(error)
        self.failures += 1
        if self.failures >= FAILURE_LIMIT and not self.off and not isinstance(error, RecursionError):
            self.off = True
            try:
                self.report(NOT_RECORDED, "turned off after failures: " + type(error).__name__)
            except Exception as second:
                pass_on(second)

    def settle(self, recorder):
        """Brings the counts of the COVERAGE record up to date, in place; a forked child has none before it settles."""
        if self.word:
            words, word = recorder.words, self.word
            words[word + COVERAGE_RECORDED_WORD], words[word + COVERAGE_MISSING_WORD] = self.recorded, self.failures
        elif self.recorded or self.failures:
            recorder.coverage(self.source, OK, "", self.recorded, self.failures)

    def forked(self):
        """The record belongs to the parent and is in the parent's file."""
        self.word = self.recorded = self.failures = 0


states = []


def load_table(name, watcher, trigger):
    """Arranges that the hooks of a table are installed when their modules are imported, and that the table's
    ``after_import`` is called after the import of the module ``trigger``."""
    from importlib import import_module

    table = import_module("inferscope.hooks.%s_hooks" % name)
    for module_name in dict.fromkeys(hook.module for hook in table.HOOKS):
        rows = [hook for hook in table.HOOKS if hook.module == module_name]
        watcher.add(module_name, lambda module, rows=rows: [install(module, row) for row in rows])
    if hasattr(table, "after_import"):
        watcher.add(trigger, table.after_import)


def install(module, hook):
    """Wraps the hook's target, and records success or failure."""
    state = State(hook.source)
    states.append(state)
    reason = hook.needs() if hook.needs else ""
    if reason:
        return state.report(NOT_NEEDED, reason)
    owner, parts = module, hook.path.split(".")
    try:
        for part in parts[:-1]:
            owner = getattr(owner, part)
        found = getattr(owner, "__dict__", {}).get(parts[-1])
        if found is None:
            found = getattr(owner, parts[-1])
    except AttributeError:
        return state.report(*((NOT_NEEDED, "not in this version") if hook.optional else (NOT_RECORDED, "target not found")))
    try:
        original = found.__func__ if isinstance(found, (classmethod, staticmethod)) else found
        if not callable(original):
            return state.report(NOT_RECORDED, "target is not a function")
        if hook.purpose not in getattr(original, "_inferscope_hook", ()):
            wrapper = imitate((hook.wrap or _wrapper_for(original))(original, hook, state), original, hook.purpose)
            if type(original) is _BUILTIN:
                wrapper = imitate(_Unbound(wrapper), original, hook.purpose)
            setattr(owner, parts[-1], type(found)(wrapper) if original is not found else wrapper)
        state.report(OK)
    except Exception as error:
        pass_on(error)
        state.report(NOT_RECORDED, "cannot be wrapped: %s" % type(error).__name__)


_BUILTIN = type(len)


class _Unbound:
    """A wrapper of a compiled function. Like the compiled function, and unlike a Python function, it does not become a
    bound method when it is an attribute of a class."""

    def __init__(self, call):
        self._call = call

    def __call__(self, *args, **kwargs):
        return self._call(*args, **kwargs)

    def __reduce__(self):
        return self.__qualname__


def _wrapper_for(original):
    flags = getattr(getattr(original, "__code__", None), "co_flags", 0)
    for flag, wrapper in _pieces.WRAPPERS:
        if flags & flag:
            return wrapper
    return wrap


def imitate(wrapper, original, purpose="spans"):
    """functools.wraps, plus an attribute that keeps torch.compile from tracing the wrapper."""
    import functools

    functools.update_wrapper(wrapper, original)
    wrapper._inferscope_hook = getattr(original, "_inferscope_hook", ()) + (purpose,)
    if hasattr(original, "__code__"):
        wrapper._torchdynamo_inline = original._torchdynamo_inline if hasattr(original, "_inferscope_hook") else original
    return wrapper


def wrap(original, hook, state):
    """The general wrapper. Actions that must happen even after an interrupt or on a full stack are done by statements
    without calls, immediately after the program's own function."""
    group, activity, name, value, when = hook.group, hook.activity, hook.name, hook.value, hook.when
    calls = _pieces.open_calls

    def begin(args, kwargs, frame):
        recorder = _recorder.current
        detail = when(args, kwargs) if when else ""
        if when and not detail:
            return None
        word = recorder.begin(name if type(name) is str else name(args, kwargs), activity, frame)
        if word and type(detail) is str and detail:
            recorder.words[word + SPAN_DETAIL_WORD] = recorder.intern(detail)
        state.recorded += 1
        if state.word:  # At once: engines kill their workers.
            recorder.words[state.word + COVERAGE_RECORDED_WORD] = state.recorded
        return recorder, word

    def end(token, end_ns, failed, result, args, kwargs):
        recorder, word = token
        if word:
            recorder.end(word, end_ns)
            if failed and sys.exc_info()[0] not in (StopIteration, None):
                recorder.words[word] = SPAN_HEADER | SPAN_FAILED
            elif value and not failed:
                recorder.words[word + SPAN_VALUE_WORD] = value(result, args, kwargs)

    def close(token, error):
        """Ends the span without a call, which a full stack would refuse, and then counts the failure."""
        try:
            recorder, word = token
            if word and not recorder.words[word + SPAN_END_NS_WORD]:
                recorder.words[word + SPAN_END_NS_WORD] = recorder.words[word + SPAN_START_NS_WORD] + 1
        except Exception as second:
            pass_on(second)
        try:
            if error is not None:
                state.failed(error)
        except RecursionError as full:
            if full is error or not isinstance(error, RecursionError):
                raise  # Otherwise a full stack could not even be counted.

    def nested(groups, frame):
        """Whether a call of the group is open. Calls that ended by an interrupt, without being marked as ended, do not
        count."""
        while frame is not None:
            if frame.f_code is wrapper.__code__ or frame.f_code is _pieces.drive.__code__:
                return True
            frame = frame.f_back
        stale, groups[group] = groups[group], False
        if type(stale) is tuple:
            close(stale, None)
        return False

    def wrapper(*args, **kwargs):
        groups = calls.groups
        if state.off or _recorder.current is None or groups.get(group) and nested(groups, sys._getframe().f_back):
            return original(*args, **kwargs)
        token = None
        try:
            token = begin(args, kwargs, sys._getframe().f_back)
        except Exception as error:
            state.failed(error)
        if token is None:
            return original(*args, **kwargs)
        failed, result = True, None
        try:
            if group:
                groups[group] = token
            result = original(*args, **kwargs)
            failed = False
            return result
        finally:
            if group:
                groups[group] = False
            try:
                end(token, monotonic_ns(), failed, result, args, kwargs)
            except Exception as error:
                close(token, error)
            except BaseException:
                end(token, monotonic_ns(), failed, result, args, kwargs)
                raise

    return wrapper
