"""Tests of the preview that version 9 has of documents: indexes with a schema, their backups, and every call of documents."""

from harness import done, raises, until
from pinecone import PineconeError

SPACE = "n"
ROWS = [
    {"_id": "a", "title": "The last lighthouse keeper", "dense": [1.0, 0.0, 0.0], "year": 2019.0},
    {"_id": "b", "title": "A bakery by the sea", "dense": [0.0, 1.0, 0.0], "sparse": {"indices": [7], "values": [0.4]}},
]


def classes(flavor):
    """The classes whose every public method the tests call."""
    if flavor == "async":
        from pinecone.preview import AsyncPreview
        from pinecone.preview.async_documents import AsyncPreviewDocuments
        from pinecone.preview.async_index import AsyncPreviewIndex
        from pinecone.preview.async_indexes import AsyncPreviewIndexes

        return [AsyncPreview, AsyncPreviewDocuments, AsyncPreviewIndex, AsyncPreviewIndexes]
    from pinecone.preview import Preview
    from pinecone.preview.documents import PreviewDocuments
    from pinecone.preview.index import PreviewIndex
    from pinecone.preview.indexes import PreviewIndexes

    return [Preview, PreviewDocuments, PreviewIndex, PreviewIndexes]


def name_of(t):
    return f"preview-{t.flavor}"


async def previews_an_index_with_a_schema(t):
    from pinecone.preview import SchemaBuilder

    schema = SchemaBuilder()
    schema.add_dense_vector_field("dense", dimension=3, metric="cosine").add_sparse_vector_field("sparse")
    schema.add_string_field("title", full_text_search=True, language="en", stemming=True)
    schema.add_string_list_field("genres", filterable=True).add_boolean_field("seen", filterable=True)
    schema.add_float_field("year", filterable=True).add_custom_field("kind", {"type": "string", "filterable": True})
    indexes = t.pc.preview.indexes
    made = await done(indexes.create(name=name_of(t), schema=schema.build()))
    described = await done(indexes.describe(name_of(t)))
    assert described.status.ready and described.host == made.host
    fields = described.schema.fields
    assert fields["dense"].dimension == 3
    assert fields["title"].full_text_search is not None
    assert await done(indexes.exists(name_of(t))) and not await done(indexes.exists("none"))
    assert name_of(t) in [one.name for one in await done(indexes.list())]
    await done(indexes.configure(name_of(t), tags={"a": "b"}, deletion_protection="enabled"))
    await raises(PineconeError, lambda: indexes.delete(name_of(t)))
    changed = await done(indexes.configure(name_of(t), deletion_protection="disabled"))
    assert changed.deletion_protection == "disabled" and dict(changed.tags) == {"a": "b"}


async def previews_documents(t):
    index = t.pc.preview.index(name=name_of(t))
    documents = index.documents
    assert (await done(documents.upsert(namespace=SPACE, documents=ROWS))).upserted_count == 2
    more = [{**ROWS[0], "_id": f"batch-{i}"} for i in range(5)]
    batch = await done(documents.batch_upsert(namespace="batches", documents=more, batch_size=2, show_progress=False))
    assert (batch.successful_item_count, batch.failed_item_count) == (5, 0)
    sparse = {"type": "sparse_vector", "field": "sparse", "sparse_values": {"indices": [7], "values": [1.0]}}
    dense = {"type": "dense_vector", "field": "dense", "values": [1.0, 0.0, 0.0]}
    clauses = [
        ({"type": "text", "field": "title", "query": "lighthouses"}, ["a"]),
        ({"type": "query_string", "query": "title:(sea OR land)"}, ["b"]),
        (dense, ["a", "b"]),
        (sparse, ["b"]),
    ]
    for clause, expected in clauses:
        answer = await done(documents.search(namespace=SPACE, top_k=5, score_by=[clause], include_fields=["title"]))
        assert [match._id for match in answer.matches] == expected, clause
        assert answer.namespace == SPACE and answer.matches[0].title
    filtered = await done(documents.search(namespace=SPACE, top_k=5, score_by=[dense], filter={"year": {"$exists": False}}))
    assert [match._id for match in filtered.matches] == ["b"]
    mixed = await done(documents.search(namespace=SPACE, top_k=5, score_by=[clauses[0][0], dense]))
    assert [match._id for match in mixed.matches] == ["a", "b"]
    fetched = await done(documents.fetch(namespace=SPACE, ids=["a", "b", "none"]))
    assert {key: document.to_dict() for key, document in fetched.documents.items()} == {"a": ROWS[0], "b": ROWS[1]}
    await done(documents.delete(namespace=SPACE, ids=["a"]))
    assert list((await done(documents.fetch(namespace=SPACE, ids=["a", "b"]))).documents) == ["b"]
    await done(documents.delete(namespace="batches", delete_all=True))
    assert (await done(documents.fetch(namespace="batches", ids=["batch-0"]))).documents == {}
    await done(documents.close())
    await done(index.close())


async def previews_backups(t):
    indexes = t.pc.preview.indexes
    made = await done(indexes.create_backup(name_of(t), name="first", description="d"))

    async def ready():
        return (await done(indexes.describe_backup(made.backup_id))).status == "Ready"

    await until(ready, "the backup being ready")
    assert [one.backup_id for one in await done(indexes.list_backups(name_of(t)))] == [made.backup_id]
    await done(t.pc.delete_backup(backup_id=made.backup_id))
    await done(indexes.delete(name_of(t)))
    await done(indexes.close())
    closed = t.pc.preview.close()
    if closed is not None:
        await closed


TESTS = [previews_an_index_with_a_schema, previews_documents, previews_backups]
