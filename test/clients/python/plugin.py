"""A pytest plugin: prints results for the command, and spares waits and a hosted model that the suites need elsewhere."""

import asyncio
import hashlib
import json
import sys
import time
import types

# The suites wait until writes are visible. Here they are visible when they are acknowledged.
SECONDS_MAX = 0.05


def _shorten(module):
    whole = module.sleep

    def sleep(seconds, *rest, **options):
        return whole(min(seconds, SECONDS_MAX), *rest, **options)

    module.sleep = sleep


_shorten(time)
_shorten(asyncio)


def embed(text, dimension=1536):
    """A unit vector of a text's groups of three letters: texts that share letters are similar."""
    values = [0.0] * dimension
    padded = f" {text} "
    for i in range(len(padded) - 2):
        digest = hashlib.sha256(padded[i : i + 3].encode()).digest()
        values[int.from_bytes(digest[:4], "big") % dimension] += 1
    length = sum(value * value for value in values) ** 0.5
    return [value / length for value in values]


class OpenAIEmbeddings:
    """In place of the model that langchain-pinecone's tests call over the internet."""

    def __init__(self, **_):
        pass

    def embed_documents(self, texts):
        return [embed(text) for text in texts]

    def embed_query(self, text):
        return embed(text)

    async def aembed_documents(self, texts):
        return self.embed_documents(texts)

    async def aembed_query(self, text):
        return self.embed_query(text)


_stand_in = types.ModuleType("langchain_openai")
_stand_in.OpenAIEmbeddings = OpenAIEmbeddings
sys.modules["langchain_openai"] = _stand_in


def pytest_runtest_logreport(report):
    # A test has three phases. Its body counts, and the others where they do not pass.
    if report.when != "call" and report.outcome == "passed":
        return
    name = report.nodeid.split("tests/", 1)[-1]
    name = name if report.when != "teardown" else f"{name} (teardown)"
    message = str(report.longrepr)[-500:] if report.longrepr else ""
    line = {"name": name, "outcome": report.outcome, "message": message}
    sys.__stdout__.write(f"\n@result {json.dumps(line)}\n")
    sys.__stdout__.flush()
