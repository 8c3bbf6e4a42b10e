"""Runs the driver's tests in order, records which public methods they call, and prints results for the command."""

import functools
import inspect
import json
import sys
import time
import traceback


class Skip(Exception):
    """Raised by a test for what its client or flavor does not have."""


class Recorder:
    """Counts calls of the public methods of classes."""

    def __init__(self):
        self.called = {}

    def watch(self, cls):
        for name, method in inspect.getmembers(cls, inspect.isfunction):
            if name.startswith("_") or hasattr(method, "__watched__"):
                continue
            self.called[f"{cls.__name__}.{name}"] = False
            setattr(cls, name, self._wrap(f"{cls.__name__}.{name}", method))

    def _wrap(self, key, method):
        @functools.wraps(method)
        def wrapped(*args, **options):
            self.called[key] = True
            return method(*args, **options)

        wrapped.__watched__ = True
        return wrapped

    def uncalled(self, exempt):
        return sorted(key for key, called in self.called.items() if not called and key not in exempt)


async def done(value):
    """The result of a call of either flavor: awaited where it must be, pages as lists."""
    if inspect.isawaitable(value):
        value = await value
    if hasattr(value, "__aiter__"):
        return [item async for item in value]
    if inspect.isgenerator(value):
        return list(value)
    return value


async def until(probe, what, seconds=60):
    """Calls the probe until it gives something true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = await probe()
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError(f"{what} did not happen within {seconds} s")


async def raises(kind, call):
    """Asserts that a call fails, and gives its error."""
    try:
        await done(call())
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} expected, but the call succeeded")


async def run_tests(flavor, tests, context):
    """True if no test failed."""
    failed = False
    for test in tests:
        outcome, message = "passed", ""
        try:
            await test(context)
        except Skip as reason:
            outcome, message = "skipped", str(reason)
        except Exception:
            outcome, message, failed = "failed", traceback.format_exc()[-700:], True
        report(f"{flavor} > {test.__name__.replace('_', ' ')}", outcome, message)
    return not failed


def report(name, outcome, message=""):
    sys.stdout.write(f"\n@result {json.dumps({'name': name, 'outcome': outcome, 'message': message})}\n")
    sys.stdout.flush()
