"""Tests of indexes, collections, backups, restores and schedules: the control plane."""

import os

import httpx
from harness import Skip, done, raises, until
from pinecone import NotFoundError, ServerlessSpec

SPEC = ServerlessSpec(cloud="aws", region="us-east-1")


def make_pod_index(name):
    """By plain HTTP and an older version: from version 10 on, the client asks for them in a form that is not published."""
    pod = {"environment": "us-east-1-aws", "pod_type": "p1.x1", "pods": 1}
    headers = {"Api-Key": os.environ["PINECONE_API_KEY"], "X-Pinecone-Api-Version": "2025-10"}
    body = {"name": name, "dimension": 3, "metric": "cosine", "spec": {"pod": pod}}
    answer = httpx.post(os.environ["PINYON_URL"] + "/indexes", json=body, headers=headers)
    assert answer.status_code == 201, answer.text


def page(value):
    """Names of things in a list of any kind."""
    return [item.name for item in value]


async def creates_lists_and_describes_an_index(t):
    made = await done(t.pc.create_index(name="one", dimension=3, metric="cosine", spec=SPEC, tags={"a": "b"}))
    assert (made.name, made.dimension, made.metric) == ("one", 3, "cosine")
    found = await done(t.pc.describe_index("one"))
    assert found.status.ready and found.host == made.host and found.tags["a"] == "b"
    assert (await done(t.pc.indexes.describe("one"))).host == made.host
    assert "one" in page(await done(t.pc.list_indexes())) and "one" in page(await done(t.pc.indexes.list()))
    assert await done(t.pc.has_index("one")) and await done(t.pc.indexes.exists("one"))
    assert not await done(t.pc.has_index("none"))


async def creates_and_deletes_by_the_newer_calls(t):
    if t.major >= 10:
        field = {"type": "dense_vector", "dimension": 3, "metric": "cosine"}
        made = await done(t.pc.indexes.create(name="two", schema={"fields": {"vector": field}}))
    else:
        made = await done(t.pc.indexes.create(name="two", dimension=3, metric="cosine", spec=SPEC))
    assert made.name == "two"
    await done(t.pc.indexes.delete("two"))
    assert not await done(t.pc.indexes.exists("two"))


async def configures_tags_and_protection(t):
    await done(t.pc.configure_index("one", tags={"c": "d"}, deletion_protection="enabled"))
    found = await done(t.pc.describe_index("one"))
    assert dict(found.tags) == {"a": "b", "c": "d"} and str(found.deletion_protection) == "enabled"
    await raises(Exception, lambda: t.pc.delete_index("one"))
    await done(t.pc.indexes.configure("one", deletion_protection="disabled"))
    assert str((await done(t.pc.describe_index("one"))).deletion_protection) == "disabled"


async def says_that_an_index_does_not_exist(t):
    error = await raises(NotFoundError, lambda: t.pc.describe_index("none"))
    assert error.status_code == 404


async def makes_an_index_for_a_model(t):
    embed = {"model": "multilingual-e5-large", "field_map": {"text": "chunk"}}
    made = await done(t.pc.create_index_for_model(name="texts", cloud="aws", region="us-east-1", embed=embed))
    assert made.name == "texts"
    # From version 10 on, the client shows the field instead.
    assert t.major >= 10 or made.dimension == 1024
    if hasattr(t.pc.indexes, "create_for_model"):
        options = {"cloud": "aws", "region": "us-east-1", "embed": embed}
        await done(t.pc.indexes.create_for_model(name="texts-2", **options))
        await done(t.pc.indexes.delete("texts-2"))


async def makes_pod_indexes_and_collections(t):
    make_pod_index("pods")
    pods = await done(t.pc.index(name="pods"))
    await done(pods.upsert(vectors=[("a", [1, 0, 0])]))
    await done(t.pc.create_collection("kept", "pods"))
    await done(t.pc.collections.create(name="kept-2", source="pods"))

    async def ready():
        found = [await done(t.pc.describe_collection("kept")), await done(t.pc.collections.describe("kept-2"))]
        return all(one.status == "Ready" for one in found)

    await until(ready, "both collections being ready")
    assert {"kept", "kept-2"} <= set(page(await done(t.pc.list_collections())))
    assert {"kept", "kept-2"} <= set(page(await done(t.pc.collections.list())))
    await done(t.pc.delete_collection("kept"))
    await done(t.pc.collections.delete("kept-2"))
    await done(t.pc.delete_index("pods"))


async def backs_up_and_restores(t):
    index = await done(t.pc.index(name="one"))
    await done(index.upsert(vectors=[("kept", [1, 0, 0])], namespace="backup"))
    made = await done(t.pc.create_backup(index_name="one", backup_name="first", description="d"))
    more = await done(t.pc.backups.create(index_name="one", name="second"))
    ids = [made.backup_id, more.backup_id]

    async def ready():
        found = [await done(t.pc.describe_backup(backup_id=ids[0])), await done(t.pc.backups.get(backup_id=ids[1]))]
        return all(one.status == "Ready" for one in found)

    await until(ready, "both backups being ready")
    assert (await done(t.pc.backups.describe(backup_id=ids[0]))).record_count == 1
    for listed in (t.pc.list_backups(index_name="one"), t.pc.backups.list(index_name="one")):
        assert set(ids) <= {one.backup_id for one in await done(listed)}
    if t.major >= 10:
        third = await done(t.pc.indexes.create_backup("one", name="third"))
        assert (await done(t.pc.indexes.describe_backup(third.backup_id))).name == "third"
        assert third.backup_id in {one.backup_id for one in await done(t.pc.indexes.list_backups("one"))}
    await done(t.pc.create_index_from_backup(name="restored", backup_id=ids[0]))
    restored = await done(t.pc.index(name="restored"))
    assert "kept" in (await done(restored.fetch(ids=["kept"], namespace="backup"))).vectors
    jobs = list(await done(t.pc.list_restore_jobs()))
    assert len(list(await done(t.pc.restore_jobs.list()))) == len(jobs) > 0
    for describe in (t.pc.describe_restore_job, t.pc.restore_jobs.describe):
        assert (await done(describe(job_id=jobs[0].restore_job_id))).backup_id == ids[0]
    await done(t.pc.delete_backup(backup_id=ids[0]))
    await done(t.pc.backups.delete(backup_id=ids[1]))
    await done(t.pc.delete_index("restored"))


async def schedules_backups(t):
    if not hasattr(t.pc, "backup_schedules"):
        raise Skip("this client has no schedules")
    schedules = t.pc.backup_schedules
    made = await done(schedules.create(index_name="one", name="daily", frequency="daily", retention_days=7))
    key = {"schedule_id": made.schedule_id}
    assert (await done(schedules.describe(**key))).frequency == "daily"
    assert (await done(schedules.update(**key, retention_days=14))).retention_expire_after_days == 14
    assert (await done(schedules.get(**key))).retention_expire_after_days == 14
    assert len(list(await done(schedules.list(index_name="one")))) == 1
    assert len(list(await done(schedules.iter_schedules(index_name="one")))) == 1
    await done(schedules.history(**key))
    await done(schedules.iter_history(**key))
    await done(schedules.delete(**key))
    assert len(list(await done(schedules.list(index_name="one")))) == 0


async def deletes_indexes(t):
    for name in ("one", "texts"):
        await done(t.pc.delete_index(name))
    assert not await done(t.pc.has_index("one"))


TESTS = [
    creates_lists_and_describes_an_index,
    creates_and_deletes_by_the_newer_calls,
    configures_tags_and_protection,
    says_that_an_index_does_not_exist,
    makes_an_index_for_a_model,
    makes_pod_indexes_and_collections,
    backs_up_and_restores,
    schedules_backups,
]
LAST = [deletes_indexes]
