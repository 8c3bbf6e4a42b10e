"""Calls every public method of llama-index's store of vectors."""

import asyncio
import os
import sys
import types

from harness import run_tests
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores import FilterOperator, MetadataFilter, MetadataFilters, VectorStoreQuery
from llama_index.core.vector_stores.types import VectorStoreQueryMode
from llama_index.vector_stores.pinecone import PineconeVectorStore
from pinecone import Pinecone, ServerlessSpec

NAME, SPACE = "llama", "n"


def node(key, text, values, year):
    source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id=f"source-{key}")}
    return TextNode(id_=key, text=text, embedding=values, metadata={"year": year}, relationships=source)


NODES = [
    node("moon", "The moon has no air", [1.0, 0.0, 0.0], 1969),
    node("bread", "Bread needs flour", [0.0, 1.0, 0.0], 2001),
    node("sea", "The sea has salt", [0.6, 0.0, 0.8], 2010),
]


def where(key, value, operator=FilterOperator.EQ):
    return MetadataFilters(filters=[MetadataFilter(key=key, value=value, operator=operator)])


def named(keys):
    """Records are called by their source and their node."""
    return [f"source-{key}#{key}" for key in keys]


def ids(t, **options):
    return t.store.query(VectorStoreQuery(similarity_top_k=3, **options)).ids


async def opens_a_store(t):
    Pinecone().create_index(name=NAME, dimension=3, metric="dotproduct", spec=ServerlessSpec(cloud="aws", region="us-east-1"))
    t.store = PineconeVectorStore.from_params(index_name=NAME, namespace=SPACE, api_key=os.environ["PINECONE_API_KEY"])
    assert t.store.client.describe_index_stats().dimension == 3
    assert PineconeVectorStore.class_name() == "PinconeVectorStore"


async def adds_and_queries_nodes(t):
    assert t.store.add(NODES[:1]) == named(["moon"])
    assert await t.store.async_add(NODES[1:]) == named(["bread", "sea"])
    found = t.store.query(VectorStoreQuery(query_embedding=[1.0, 0.0, 0.0], similarity_top_k=2))
    assert found.ids == named(["moon", "sea"]) and abs(found.similarities[1] - 0.6) < 1e-6
    assert found.nodes[0].text == NODES[0].text and found.nodes[0].metadata == {"year": 1969}
    later = await t.store.aquery(VectorStoreQuery(query_embedding=[1.0, 0.0, 0.0], similarity_top_k=1))
    assert later.ids == named(["moon"])


async def filters_nodes(t):
    near = {"query_embedding": [1.0, 0.0, 0.0]}
    cases = [
        (where("year", 2001, FilterOperator.GT), ["sea"]),
        (where("year", 1969, FilterOperator.NE), ["sea", "bread"]),
        (where("year", [1969, 2001], FilterOperator.IN), ["moon", "bread"]),
        (where("year", [1969, 2001], FilterOperator.NIN), ["sea"]),
    ]
    for filters, expected in cases:
        assert ids(t, **near, filters=filters) == named(expected), filters
    assert [one.node_id for one in t.store.get_nodes(filters=where("year", 2001))] == ["bread"]
    assert [one.node_id for one in await t.store.aget_nodes(filters=where("year", 1969))] == ["moon"]


async def keeps_sparse_vectors_beside_dense_ones(t):
    tokens = lambda texts: [[1, 1, 7] if "moon" in text else [9] for text in texts]
    options = {"index_name": NAME, "namespace": "hybrid", "add_sparse_vector": True, "tokenizer": tokens}
    hybrid = PineconeVectorStore(**options)
    hybrid.add(NODES)
    query = VectorStoreQuery(query_embedding=[0.0, 1.0, 0.0], query_str="moon", similarity_top_k=1, mode=VectorStoreQueryMode.HYBRID, alpha=0.1)
    assert hybrid.query(query).ids == named(["moon"])
    words = VectorStoreQuery(query_str="moon", similarity_top_k=1, mode=VectorStoreQueryMode.SPARSE)
    assert hybrid.query(words).ids == named(["moon"])


async def deletes_nodes(t):
    near = {"query_embedding": [1.0, 0.0, 0.0]}
    t.store.delete("source-moon")
    assert ids(t, **near) == named(["sea", "bread"])
    t.store.delete_nodes(node_ids=named(["sea"]))
    assert ids(t, **near) == named(["bread"])
    await t.store.adelete("source-bread")
    assert ids(t, **near) == []
    t.store.add(NODES)
    t.store.delete_nodes(filters=where("year", 1969))
    await t.store.adelete_nodes(node_ids=named(["sea"]))
    assert ids(t, **near) == named(["bread"])
    await t.store.aclear()
    t.store.add(NODES)
    t.store.clear()
    assert ids(t, **near) == []
    Pinecone().delete_index(NAME)


TESTS = [opens_a_store, adds_and_queries_nodes, filters_nodes, keeps_sparse_vectors_beside_dense_ones, deletes_nodes]


async def main():
    good = await run_tests("store", TESTS, types.SimpleNamespace())
    sys.exit(0 if good else 1)


asyncio.run(main())
