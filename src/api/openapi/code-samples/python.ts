// Calls of the Python SDK, version 10.
import { SAMPLE_BASE, SAMPLE_KEY, type SdkSamples } from './code-sample.ts';

export const PYTHON: SdkSamples = {
  lang: 'python',
  label: 'Python SDK',
  open: `from pinecone import Pinecone, ServerlessSpec

pc = Pinecone(api_key="${SAMPLE_KEY}", host="${SAMPLE_BASE}")`,
  openIndex: `films = pc.index(name="films")`,
  calls: {
    create_index: {
      code: `spec = ServerlessSpec(cloud="aws", region="us-east-1")
pc.create_index("films", dimension=3, metric="cosine", spec=spec)`,
    },
    list_indexes: { code: `print(pc.list_indexes().names())` },
    describe_index: { code: `print(pc.describe_index("films").host)` },
    configure_index: { code: `pc.configure_index("films", tags={"team": "search"})` },
    upsert_vectors: {
      atIndex: true,
      code: `films.upsert(vectors=[
    ("a", [0.1, 0.2, 0.3], {"genre": "drama", "year": 2019}),
    ("b", [0.3, 0.2, 0.1], {"genre": "comedy", "year": 2024}),
])`,
    },
    query_vectors: {
      atIndex: true,
      code: `found = films.query(
    vector=[0.1, 0.2, 0.3], top_k=3, filter={"year": {"$gte": 2010}}, include_metadata=True
)
print(found.matches)`,
    },
    fetch_vectors: { atIndex: true, code: `print(films.fetch(ids=["a"]).vectors["a"])` },
    fetch_vectors_by_metadata: {
      atIndex: true,
      code: `print(films.fetch_by_metadata(filter={"genre": {"$eq": "drama"}}))`,
    },
    list_vectors: { atIndex: true, code: `print(films.list_paginated(prefix="a"))` },
    update_vectors: { atIndex: true, code: `films.update(id="a", set_metadata={"year": 2020})` },
    get_index_stats: { atIndex: true, code: `print(films.describe_index_stats())` },
    list_namespaces: { atIndex: true, code: `print(films.list_namespaces_paginated())` },
    describe_namespace: { atIndex: true, code: `print(films.describe_namespace(name="__default__"))` },
    delete_vectors: { atIndex: true, code: `films.delete(ids=["a", "b"])` },
    create_backup: { code: `print(pc.create_backup(index_name="films", backup_name="films-weekly"))` },
    list_index_backups: { code: `print(pc.list_backups(index_name="films"))` },
    create_index_for_model: {
      code: `pc.create_index_for_model(
    name="plots",
    cloud="aws",
    region="us-east-1",
    embed={"model": "multilingual-e5-large", "field_map": {"text": "plot"}},
)`,
    },
    upsert_records: {
      code: `plots = pc.index(name="plots")
plots.upsert_records(
    namespace="__default__", records=[{"_id": "a", "plot": "A farmer finds a meteorite in his field"}]
)`,
    },
    search_records: {
      code: `plots = pc.index(name="plots")
found = plots.search(namespace="__default__", top_k=3, inputs={"text": "rock from space"})
print(found.result.hits)`,
    },
    embed: {
      code: `answer = pc.inference.embed(
    model="multilingual-e5-large", inputs=["rock from space"], parameters={"input_type": "query"}
)
print(answer.data)`,
    },
    rerank: {
      code: `answer = pc.inference.rerank(
    model="bge-reranker-v2-m3",
    query="rock from space",
    documents=["A farmer finds a meteorite", "Two sisters open a bakery"],
)
print(answer.data)`,
    },
    delete_index: { code: `pc.delete_index("plots")` },
  },
};
