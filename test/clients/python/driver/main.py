"""Calls every public method of the Python client: synchronous, asynchronous, over gRPC, and of administration."""

import asyncio
import os
import sys
import traceback
import types

import administration
import documents
import indexes
import models
import pinecone
import preview
import records
from harness import Recorder, report, run_tests
from pinecone import Admin, AsyncPinecone, Pinecone

PARTS = ("indexes", "collections", "backups", "restore_jobs", "backup_schedules", "inference", "assistants")
ADMIN_PARTS = ("api_keys", "projects", "organizations", "service_accounts", "users", "invites", "role_bindings")
FLAVORS = ("sync", "async", "grpc", "admin")
#: Other names of calls that the tests make, and what has no counterpart on a server.
EXEMPT = {
    "Pinecone.Index": "an older name of index()",
    "Pinecone.IndexAsyncio": "an older name of the index of AsyncPinecone",
    "AsyncPinecone.IndexAsyncio": "an older name of index()",
}


def parts(owner, names):
    return [type(getattr(owner, name)) for name in names if hasattr(owner, name)]


async def open_flavor(flavor):
    t = types.SimpleNamespace(flavor=flavor, major=int(pinecone.__version__.split(".")[0]))
    recorder = Recorder()
    if flavor == "admin":
        t.admin = open_admin(t.major)
        watched = parts(t.admin, ADMIN_PARTS)
    else:
        t.pc = AsyncPinecone() if flavor == "async" else Pinecone()
        watched = [] if flavor == "grpc" else [type(t.pc), *parts(t.pc, PARTS)]
        watched.append(index_class(flavor))
        if flavor != "grpc":
            watched += preview.classes(flavor) if t.major < 10 else documents.classes(flavor)
    for cls in watched:
        recorder.watch(cls)
    return t, recorder


def open_admin(major):
    """The older client takes no address, and sends its writes past a proxy, so its constants are changed."""
    url = os.environ["PINYON_URL"]
    if major < 10:
        from pinecone.admin import admin

        admin.DEFAULT_BASE_URL, admin._OAUTH_URL = url, f"{url}/oauth/token"
        return Admin()
    return Admin(host=url, oauth_url=f"{url}/oauth/token")


def index_class(flavor):
    if flavor == "grpc":
        from pinecone.grpc import GrpcIndex

        return GrpcIndex
    return pinecone.AsyncIndex if flavor == "async" else pinecone.Index


def tests_of(flavor, major):
    if flavor == "admin":
        return administration.TESTS
    if flavor == "grpc":
        needed = [indexes.creates_lists_and_describes_an_index, indexes.makes_an_index_for_a_model]
        return [*needed, *records.TESTS, *indexes.LAST]
    of_documents = documents.TESTS if major >= 10 else preview.TESTS
    return [*indexes.TESTS, *records.TESTS, *models.TESTS, *of_documents, *indexes.LAST]


async def run_flavor(flavor):
    t, recorder = await open_flavor(flavor)
    good = await run_tests(flavor, tests_of(flavor, t.major), t)
    if flavor in ("sync", "async"):
        for part in (t.pc.inference, t.pc.assistants, t.pc):
            closed = part.close()
            if closed is not None:
                await closed
    missed = recorder.uncalled(EXEMPT)
    outcome = "failed" if missed else "passed"
    report(f"{flavor} > calls every public method", outcome, f"not called: {', '.join(missed)}" if missed else "")
    return good and not missed


async def is_good(flavor):
    try:
        return await run_flavor(flavor)
    except Exception:
        report(f"{flavor} > opens and closes the client", "failed", traceback.format_exc()[-700:])
        return False


async def main():
    results = [await is_good(flavor) for flavor in FLAVORS]
    sys.exit(0 if all(results) else 1)


asyncio.run(main())
