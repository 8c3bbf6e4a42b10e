"""Tests of documents: records with fields of their own, found by words and by vectors. From version 10 on."""

import json

import pinecone
from harness import done, raises

SPACE = "films/1"
ROWS = [
    {"_id": "a", "title": "The last lighthouse keeper", "dense": [1.0, 0.0, 0.0], "year": 2019},
    {"_id": "b", "title": "A bakery by the sea", "dense": [0.0, 1.0, 0.0], "year": 2020, "seen": True},
    {"_id": "c", "title": "Bakers at sea", "dense": [0.6, 0.8, 0.0], "sparse": {"indices": [1, 7], "values": [0.5, 0.4]}},
]


def classes(flavor):
    """The classes whose every public method the tests call."""
    if flavor == "async":
        from pinecone.async_client.documents import AsyncDocuments

        return [AsyncDocuments]
    from pinecone.client.documents import Documents

    return [Documents]


def name_of(t):
    return f"films-{t.flavor}"


async def found(t, clause, index=None, **options):
    documents = index or t.documents
    answer = await done(documents.search(namespace=SPACE, top_k=10, score_by=[clause], **options))
    assert answer.namespace == SPACE and answer.usage.read_units >= 0
    return [match.id for match in answer.matches]


async def creates_and_describes_an_index_of_documents(t):
    schema = pinecone.SchemaBuilder()
    schema.add_dense_vector_field("dense", dimension=3, metric="cosine", description="a place")
    schema.add_sparse_vector_field("sparse")
    schema.add_string_field("title", full_text_search=True, language="english", stemming=True, stop_words=True)
    schema.add_custom_field("plot", {"type": "string", "full_text_search": {"ngram": {"min_gram": 2, "max_gram": 4}}})
    made = await done(t.pc.indexes.create(name=name_of(t), schema=schema.build()))
    described = await done(t.pc.indexes.describe(name_of(t)))
    assert described.status.ready and described.host == made.host
    fields = described.schema.fields
    assert set(fields) == {"dense", "sparse", "title", "plot"}
    assert fields["dense"].dimension == 3 and fields["dense"].description == "a place"
    assert fields["title"].full_text_search.language == "en" and fields["title"].full_text_search.stop_words
    assert fields["plot"].full_text_search.ngram.max_gram == 4
    await raises(pinecone.PineconeError, lambda: t.pc.indexes.create(name="bare", schema={"fields": {"t": {"type": "string"}}}))
    t.documents = (await done(t.pc.index(name=name_of(t)))).documents


async def upserts_documents(t):
    assert (await done(t.documents.upsert(namespace=SPACE, documents=ROWS))).upserted_count == 3
    record = pinecone.DocumentRecord(_id="d", title="Whales", dense=[0.0, 0.0, 1.0])
    assert (await done(t.documents.upsert(namespace=SPACE, documents=[record]))).upserted_count == 1
    many = [{"_id": f"batch-{i:02}", "title": f"film {i}", "dense": [1.0, 1.0, 1.0]} for i in range(30)]
    batch = await done(t.documents.batch_upsert(namespace="batches", documents=many, batch_size=10, show_progress=False))
    assert (batch.successful_item_count, batch.failed_item_count) == (30, 0)
    only_metadata = [{"_id": "x", "year": 1}]
    await raises(pinecone.PineconeError, lambda: t.documents.upsert(namespace=SPACE, documents=only_metadata))


async def searches_documents_by_every_clause(t):
    assert await found(t, pinecone.TextQuery(query="the bakery", fields=["title"])) == ["b"]
    assert sorted(await found(t, pinecone.TextQuery(query="seas", fields=["title"]))) == ["b", "c"]
    assert await found(t, {"type": "text", "field": "title", "query": "lighthouse"}) == ["a"]
    assert await found(t, pinecone.QueryStringQuery(query='title:"last lighthouse" -bakery')) == ["a"]
    assert await found(t, pinecone.DenseVectorQuery(values=[1, 0, 0], field="dense")) == ["a", "c", "b", "d"]
    sparse = pinecone.SparseValues(indices=[7], values=[1.0])
    assert await found(t, pinecone.SparseVectorQuery(sparse_values=sparse, field="sparse")) == ["c"]
    both = [pinecone.TextQuery(query="sea", fields=["title"]), pinecone.QueryStringQuery(query="whales")]
    answer = await done(t.documents.search(namespace=SPACE, top_k=10, score_by=both, include_fields=["title"]))
    assert sorted(match.id for match in answer.matches) == ["b", "c", "d"]
    assert {match.id: match.title for match in answer.matches}["d"] == "Whales" and answer.matches[0].score > 0
    mixed = [pinecone.TextQuery(query="sea", fields=["title"]), pinecone.DenseVectorQuery(values=[1, 0, 0], field="dense")]
    await raises(pinecone.PineconeError, lambda: t.documents.search(namespace=SPACE, top_k=1, score_by=mixed))


async def filters_documents(t):
    near = pinecone.DenseVectorQuery(values=[1, 0, 0], field="dense")
    title, year = pinecone.Field("title"), pinecone.Field("year")
    cases = [
        (year.gt(2019), ["b"]),
        (year.lte(2020), ["a", "b"]),
        (year == 2019, ["a"]),
        (year != 2019, ["c", "b", "d"]),
        (year.is_in([2020]), ["b"]),
        (year.not_in([2020]), ["a", "c", "d"]),
        (year.exists(), ["a", "b"]),
        (title.match_phrase("last lighthouse"), ["a"]),
        (title.match_all("sea bakers"), ["c"]),
        (title.match_any("whales keeper"), ["a", "d"]),
        (title.match_any("sea") & (pinecone.Field("seen") == True), ["b"]),  # noqa: E712
        ((year == 2020) | title.match_any("whales"), ["b", "d"]),
    ]
    for condition, expected in cases:
        ids = await found(t, near, filter=condition.to_dict())
        assert ids == expected, f"{json.dumps(condition.to_dict())}: {ids}"


async def fetches_and_lists_documents(t):
    answer = await done(t.documents.fetch(namespace=SPACE, ids=["a", "c", "none"]))
    assert {key: document.to_dict() for key, document in answer.documents.items()} == {"a": ROWS[0], "c": ROWS[2]}
    some = await done(t.documents.fetch(namespace=SPACE, ids=["a"], include_fields=["year"]))
    assert some.documents["a"].to_dict() == {"_id": "a", "year": 2019}
    first = await done(t.documents.fetch(namespace=SPACE, filter={"year": {"$gte": 2019}}, limit=1))
    token = first.pagination.next
    second = await done(t.documents.fetch(namespace=SPACE, filter={"year": {"$gte": 2019}}, limit=1, pagination_token=token))
    assert list(first.documents) == ["a"] and list(second.documents) == ["b"]
    listed = await done(t.documents.list(namespace=SPACE))
    assert [one.id for one in listed] == ["a", "b", "c", "d"]
    paged = await done(t.documents.list(namespace="batches", prefix="batch-1", limit=4))
    assert len(list(paged)) == 10


async def updates_and_deletes_documents(t):
    changes = [{"_id": "a", "year": 2022}, pinecone.UpdateDocumentRecord(_id="b", title="Harbor", _remove_fields=["seen"])]
    await done(t.documents.update(namespace=SPACE, documents=changes))
    stored = (await done(t.documents.fetch(namespace=SPACE, ids=["a", "b"]))).documents
    assert stored["a"].to_dict() == {**ROWS[0], "year": 2022}
    assert stored["b"].to_dict() == {"_id": "b", "title": "Harbor", "dense": [0.0, 1.0, 0.0], "year": 2020}
    updated = await done(t.documents.update(namespace=SPACE, filter={"year": 2022}, set_fields={"old": False}, remove_fields=["year"]))
    assert updated.matched_records == 1
    assert (await done(t.documents.fetch(namespace=SPACE, ids=["a"], include_fields=["old", "year"]))).documents["a"].to_dict() == {"_id": "a", "old": False}
    assert (await done(t.documents.delete(namespace=SPACE, ids=["a"]))).matched_records is None
    assert (await done(t.documents.delete(namespace=SPACE, filter={"year": 2020}))).matched_records == 1
    assert [one.id for one in await done(t.documents.list(namespace=SPACE))] == ["c", "d"]
    await done(t.documents.delete(namespace=SPACE, delete_all=True))
    assert list(await done(t.documents.list(namespace=SPACE))) == []
    await done(t.pc.delete_index(name_of(t)))


async def embeds_texts_of_documents(t):
    name = f"notes-{t.flavor}"
    schema = pinecone.SchemaBuilder().add_string_field("note", embed=True, sparse_embed=True)
    await done(t.pc.indexes.create(name=name, schema=schema.build()))
    notes = (await done(t.pc.index(name=name))).documents
    rows = [{"_id": "moon", "note": "Astronauts walked on the moon"}, {"_id": "bread", "note": "Bread is made of flour"}]
    assert (await done(notes.upsert(namespace=SPACE, documents=rows))).usage.embed_total_tokens > 0
    for clause in (pinecone.EmbedQuery, pinecone.SparseEmbedQuery, pinecone.TextQuery):
        assert (await found(t, clause(query="flour for bread", fields=["note"]), notes))[0] == "bread", clause
    await done(notes.update(namespace=SPACE, documents=[{"_id": "moon", "note": "Sugar for bread"}]))
    assert len(await found(t, pinecone.TextQuery(query="bread", fields=["note"]), notes)) == 2
    await done(t.pc.delete_index(name))


TESTS = [
    creates_and_describes_an_index_of_documents,
    upserts_documents,
    searches_documents_by_every_clause,
    filters_documents,
    fetches_and_lists_documents,
    updates_and_deletes_documents,
    embeds_texts_of_documents,
]
