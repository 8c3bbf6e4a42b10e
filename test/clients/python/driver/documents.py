"""Tests of documents: records with fields of their own, found by words and by vectors."""

from harness import Skip, done

SCHEMA = {
    "fields": {
        "title": {"type": "string", "full_text_search": {"language": "en"}},
        "vector": {"type": "dense_vector", "dimension": 3, "metric": "cosine"},
    }
}
ROWS = [
    {"_id": "a", "title": "The last lighthouse keeper", "vector": [1.0, 0.0, 0.0], "year": 2019},
    {"_id": "b", "title": "A bakery by the sea", "vector": [0.0, 1.0, 0.0], "year": 2020},
]


async def keeps_and_finds_documents(t):
    if t.major < 10:
        raise Skip("documents are a preview in this client")
    name = f"films-{t.flavor}"
    await done(t.pc.indexes.create(name=name, schema=SCHEMA))
    index = await done(t.pc.index(name=name))
    films = index.documents
    await done(films.upsert(namespace="n", documents=ROWS))
    await done(films.batch_upsert(namespace="n", documents=[{**ROWS[1], "_id": "c"}], show_progress=False))
    by_words = [{"type": "text", "field": "title", "query": "lighthouse"}]
    found = await done(films.search(namespace="n", top_k=2, score_by=by_words, include_fields=["title"]))
    assert [match._id if hasattr(match, "_id") else match.id for match in found.matches] == ["a"]
    await done(films.update(namespace="n", documents=[{"_id": "a", "year": 2022}]))
    assert len((await done(films.fetch(namespace="n", ids=["a", "b"]))).documents) == 2
    assert len(list(await done(films.list(namespace="n")))) == 3
    await done(films.delete(namespace="n", ids=["a"]))
    assert len(list(await done(films.list(namespace="n")))) == 2
    await done(t.pc.delete_index(name))


TESTS = [keeps_and_finds_documents]
