"""Tests of records and namespaces: the data plane, over REST and over gRPC."""

import pandas
from harness import Skip, done, raises, until

SPACE = "n"
ROWS = [
    {"id": "a", "values": [1.0, 0.0, 0.0], "metadata": {"genre": "drama", "year": 2019}},
    {"id": "b", "values": [0.0, 1.0, 0.0], "metadata": {"genre": "comedy", "year": 2020}},
    {"id": "c", "values": [0.8, 0.6, 0.0], "metadata": {"genre": "drama", "year": 2021}},
]


async def open_index(t, name="one"):
    return await done(t.pc.index(name=name, **({"grpc": True} if t.flavor == "grpc" else {})))


async def upserts_and_fetches(t):
    t.index = await open_index(t)
    answer = await done(t.index.upsert(vectors=ROWS, namespace=SPACE))
    assert answer.upserted_count == 3
    vectors = (await done(t.index.fetch(ids=["a", "none"], namespace=SPACE))).vectors
    assert list(vectors) == ["a"] and list(vectors["a"].values) == [1.0, 0.0, 0.0]
    assert vectors["a"].metadata["genre"] == "drama"
    many = [(f"batch-{i}", [0.0, 0.0, 1.0]) for i in range(30)]
    batches = await done(t.index.upsert(vectors=many, namespace="batches", batch_size=10, show_progress=False))
    assert batches.upserted_count == 30
    frame = pandas.DataFrame([{"id": "f", "values": [1.0, 1.0, 1.0]}])
    store = lambda: t.index.upsert_from_dataframe(frame, namespace="frame", show_progress=False)
    if t.flavor == "async" and t.major < 10:
        # The asynchronous client of version 9 has the method, which says so.
        await raises(NotImplementedError, store)
        return
    await done(store())
    assert "f" in (await done(t.index.fetch(ids=["f"], namespace="frame"))).vectors


async def keeps_sparse_values_beside_dense_ones(t):
    sparse = {"indices": [1, 7], "values": [0.5, 0.25]}
    await done(t.index.upsert(vectors=[{"id": "s", "values": [1.0, 0.0, 0.0], "sparse_values": sparse}], namespace="sparse"))
    found = (await done(t.index.fetch(ids=["s"], namespace="sparse"))).vectors["s"].sparse_values
    assert list(found.indices) == [1, 7] and list(found.values) == [0.5, 0.25]


async def queries_by_vector_id_and_filter(t):
    found = await done(t.index.query(vector=[1, 0, 0], top_k=2, namespace=SPACE, include_metadata=True, include_values=True))
    assert [match.id for match in found.matches] == ["a", "c"] and abs(found.matches[1].score - 0.8) < 1e-6
    assert found.matches[0].metadata["year"] == 2019 and len(found.matches[0].values) == 3
    by_id = await done(t.index.query(id="b", top_k=1, namespace=SPACE, filter={"year": {"$gte": 2020}}))
    assert [match.id for match in by_id.matches] == ["b"]
    both = {"vector": [1, 0, 0], "namespaces": [SPACE, "batches"], "metric": "cosine", "top_k": 3}
    if hasattr(t.index, "query_namespaces"):
        assert (await done(t.index.query_namespaces(**both))).matches[0].id == "a"
    error = await raises(Exception, lambda: t.index.query(vector=[1, 0], top_k=1, namespace=SPACE))
    assert "dimension" in str(error).lower()


async def searches_records_by_vector(t):
    for search in (t.index.search, t.index.search_records):
        found = await done(search(namespace=SPACE, top_k=1, vector={"values": [1, 0, 0]}))
        assert found.result.hits[0].id == "a"


async def fetches_by_metadata(t):
    if not hasattr(t.index, "fetch_by_metadata"):
        raise Skip("this client has no such call over gRPC")
    found = await done(t.index.fetch_by_metadata(filter={"genre": "drama"}, namespace=SPACE))
    assert sorted(found.vectors) == ["a", "c"]


async def lists_ids_in_equal_pages(t):
    first = await done(t.index.list_paginated(namespace=SPACE, limit=2))
    again = await done(t.index.list_paginated(namespace=SPACE, limit=2))
    assert first.pagination.next == again.pagination.next
    rest = await done(t.index.list_paginated(namespace=SPACE, limit=2, pagination_token=first.pagination.next))
    ids = [vector.id for answer in (first, rest) for vector in answer.vectors]
    assert ids == ["a", "b", "c"]
    pages = await done(t.index.list(prefix="batch-1", namespace="batches", limit=4))
    assert len([item for answer in pages for item in answer.vectors]) == 11


async def updates_by_id_and_by_filter(t):
    await done(t.index.update(id="a", set_metadata={"seen": True}, namespace=SPACE))
    await done(t.index.update(id="b", values=[0.0, 0.0, 1.0], namespace=SPACE))
    vectors = (await done(t.index.fetch(ids=["a", "b"], namespace=SPACE))).vectors
    assert vectors["a"].metadata["seen"] and vectors["a"].metadata["year"] == 2019
    assert list(vectors["b"].values) == [0.0, 0.0, 1.0]
    await done(t.index.update(filter={"genre": "drama"}, set_metadata={"kind": "film"}, namespace=SPACE))
    vectors = (await done(t.index.fetch(ids=["a", "b", "c"], namespace=SPACE))).vectors
    assert [vectors[key].metadata.get("kind") for key in "abc"] == ["film", None, "film"]


async def counts_records_of_namespaces(t):
    stats = await done(t.index.describe_index_stats())
    assert stats.namespaces[SPACE].vector_count == 3 and stats.dimension == 3


async def creates_lists_and_deletes_namespaces(t):
    made = await done(t.index.create_namespace(name="made", schema={"fields": {"genre": {"filterable": True}}}))
    assert made.name == "made"
    assert (await done(t.index.describe_namespace(name="made"))).name == "made"
    listed = await done(t.index.list_namespaces(prefix="ma"))
    assert [space.name for answer in listed for space in answer.namespaces] == ["made"]
    assert "made" in [space.name for space in (await done(t.index.list_namespaces_paginated(limit=50))).namespaces]
    await done(t.index.delete_namespace(name="made"))
    await raises(Exception, lambda: t.index.describe_namespace(name="made"))


async def answers_futures(t):
    if t.flavor != "grpc":
        raise Skip("only the gRPC client has futures")
    assert t.index.upsert_async(vectors=ROWS, namespace="later").result().upserted_count == 3
    t.index.update_async(id="a", set_metadata={"x": 1}, namespace="later").result()
    assert t.index.fetch_async(ids=["a"], namespace="later").result().vectors["a"].metadata["x"] == 1
    assert t.index.query_async(vector=[1, 0, 0], top_k=1, namespace="later").result().matches[0].id == "a"
    if hasattr(t.index, "query_namespaces_async"):
        both = {"vector": [1, 0, 0], "namespaces": [SPACE, "later"], "metric": "cosine", "top_k": 1}
        assert t.index.query_namespaces_async(**both).result().matches[0].id == "a"
    t.index.delete_async(delete_all=True, namespace="later").result()


async def imports_and_cancels(t):
    if not hasattr(t.index, "start_import"):
        raise Skip("this client has no imports over gRPC")
    started = await done(t.index.start_import("s3://pinyon-tests/nothing", error_mode="continue"))
    await done(t.index.cancel_import(started.id))
    found = await done(t.index.describe_import(started.id))
    assert str(found.status) in ("Cancelled", "Failed"), found.status
    assert started.id in [one.id for one in await done(t.index.list_imports())]
    assert started.id in [one.id for one in await done(t.index.list_imports_paginated(limit=5))]


async def stores_and_finds_text(t):
    texts = await open_index(t, "texts")
    rows = [
        {"_id": "1", "chunk": "The first astronauts walked on the moon", "year": 1969},
        {"_id": "2", "chunk": "Bread is baked from flour, water and yeast", "year": 2001},
    ]
    await done(texts.upsert_records(records=rows, namespace=SPACE))
    query = {"inputs": {"text": "astronaut on the moon"}, "top_k": 1, "namespace": SPACE}
    found = await done(texts.search_records(**query, fields=["chunk"], rerank={"model": "bge-reranker-v2-m3", "rank_fields": ["chunk"], "top_n": 1}))
    assert found.result.hits[0].id == "1"
    await done(texts.close())


async def finds_related_words_in_a_sparse_index(t):
    """As the client's own tests of required terms have it: no record says what the query says."""
    embed = {"model": "pinecone-sparse-english-v0", "field_map": {"text": "text"}}
    name = f"sparse-{t.flavor}"
    await done(t.pc.create_index_for_model(name=name, cloud="aws", region="us-east-1", embed=embed))
    index = await open_index(t, name)
    rows = [
        {"_id": "1", "text": "astronaut training in zero gravity conditions"},
        {"_id": "2", "text": "submarine underwater navigation using sonar"},
        {"_id": "3", "text": "astronauts at the station"},
    ]
    await done(index.upsert_records(records=rows, namespace=SPACE))
    query = {"namespace": SPACE, "top_k": 10, "inputs": {"text": "space exploration"}}

    async def ids(**more):
        return {hit.id for hit in (await done(index.search(**{**query, **more}))).result.hits}

    assert {"1", "3"} <= await ids()
    assert await ids(match_terms={"strategy": "all", "terms": ["astronaut"]}) == {"1"}
    assert {"1", "3"} <= await ids(inputs={"text": "astronaut"})
    await done(index.close())
    await done(t.pc.delete_index(name))


async def deletes_records(t):
    await done(t.index.delete(ids=["a"], namespace=SPACE))
    await done(t.index.delete(filter={"genre": "comedy"}, namespace=SPACE))
    assert list((await done(t.index.fetch(ids=["a", "b", "c"], namespace=SPACE))).vectors) == ["c"]
    await done(t.index.delete(delete_all=True, namespace=SPACE))

    async def empty():
        return SPACE not in (await done(t.index.describe_index_stats())).namespaces

    await until(empty, "the namespace being left out of the statistics", seconds=5)
    await done(t.index.close())


TESTS = [
    upserts_and_fetches,
    keeps_sparse_values_beside_dense_ones,
    queries_by_vector_id_and_filter,
    searches_records_by_vector,
    fetches_by_metadata,
    lists_ids_in_equal_pages,
    updates_by_id_and_by_filter,
    counts_records_of_namespaces,
    creates_lists_and_deletes_namespaces,
    answers_futures,
    imports_and_cancels,
    stores_and_finds_text,
    finds_related_words_in_a_sparse_index,
    deletes_records,
]
