"""Tests of inference and assistants."""

import io
import tempfile

from harness import Skip, done, raises, until

NAME = "Test_Assistant-Py"


async def lists_and_describes_models(t):
    listed = await done(t.pc.inference.list_models(type="embed"))
    assert "multilingual-e5-large" in [model.model for model in listed]
    assert (await done(t.pc.inference.get_model(model="multilingual-e5-large"))).type == "embed"
    assert len(list(await done(t.pc.inference.model.list()))) > 1


async def embeds_dense_and_sparse(t):
    inputs = ["apples", "astronauts"]
    made = await done(t.pc.inference.embed("multilingual-e5-large", inputs, {"input_type": "passage"}))
    assert len(made.data) == 2 and len(made.data[0].values) == 1024
    sparse = await done(t.pc.inference.embed("pinecone-sparse-english-v0", inputs, {"input_type": "passage"}))
    assert len(sparse.data[0].sparse_indices) == len(sparse.data[0].sparse_values) > 0


async def reranks(t):
    documents = [{"text": "bread and butter"}, {"text": "the moon landing"}]
    found = await done(t.pc.inference.rerank("bge-reranker-v2-m3", "moon", documents, top_n=1))
    assert found.data[0].index == 1


async def creates_and_updates_an_assistant(t):
    made = await done(t.pc.assistants.create(name=NAME, instructions="Be brief.", metadata={"a": "b"}))
    assert made.name == NAME
    assert (await done(t.pc.assistants.describe(name=NAME))).status == "Ready"
    changed = await done(t.pc.assistants.update(name=NAME, instructions="Be briefer."))
    assert changed.instructions == "Be briefer."
    assert NAME in [one.name for one in await done(t.pc.assistants.list())]
    assert NAME in [one.name for one in (await done(t.pc.assistants.list_page(page_size=10))).assistants]


async def keeps_the_older_calls_of_assistants(t):
    assistants = t.pc.assistants
    await done(assistants.create_assistant("older", instructions="x"))
    await done(assistants.update_assistant("older", instructions="y"))
    assert (await done(assistants.describe_assistant("older"))).instructions == "y"
    assert "older" in [one.name for one in await done(assistants.list_assistants())]
    assert (await done(assistants.list_assistants_paginated(limit=10))).assistants
    await done(assistants.delete_assistant("older"))


async def uploads_and_lists_files(t):
    text = b"The canal has 17 locks. Each lock lifts a boat by three metres."
    with tempfile.NamedTemporaryFile(suffix=".txt") as file:
        file.write(text)
        file.flush()
        options = {"assistant_name": NAME, "metadata": {"kind": "guide"}}
        t.file = await done(t.pc.assistants.upload_file(file_path=file.name, **options))
    second = await done(t.pc.assistants.upload_file(assistant_name=NAME, file_stream=io.BytesIO(text), file_name="b.txt"))
    found = await done(t.pc.assistants.describe_file(assistant_name=NAME, file_id=t.file.id, include_url=True))
    assert found.status == "Available" and found.metadata["kind"] == "guide"
    listed = await done(t.pc.assistants.list_files(assistant_name=NAME, filter={"kind": "guide"}))
    assert [one.id for one in listed] == [t.file.id]
    assert len((await done(t.pc.assistants.list_files_page(assistant_name=NAME))).files) == 2
    await done(t.pc.assistants.delete_file(assistant_name=NAME, file_id=second.id))


async def lists_operations(t):
    assistants = t.pc.assistants
    if not hasattr(assistants, "list_operations"):
        raise Skip("this client has no operations")
    listed = await done(assistants.list_operations(assistant_name=NAME))
    one = list(listed)[0]
    key = one.id if hasattr(one, "id") else one.operation_id
    assert await done(assistants.describe_operation(assistant_name=NAME, operation_id=key))
    assert (await done(assistants.list_operations_page(assistant_name=NAME))).operations


async def chats_whole_and_in_pieces(t):
    messages = [{"role": "user", "content": "How many locks does the canal have?"}]
    answer = await done(t.pc.assistants.chat(assistant_name=NAME, messages=messages))
    assert "17" in answer.message.content and answer.citations
    completed = await done(t.pc.assistants.chat_completions(assistant_name=NAME, messages=messages))
    assert "17" in completed.choices[0].message.content
    for call in (t.pc.assistants.chat, t.pc.assistants.chat_completions):
        stream = await done(call(assistant_name=NAME, messages=messages, stream=True))
        pieces = stream if isinstance(stream, list) else list(stream)
        assert len(pieces) > 1
    error = await raises(Exception, lambda: t.pc.assistants.chat(assistant_name=NAME, messages=[]))
    assert "at least" in str(error).lower(), error


async def finds_context(t):
    found = await done(t.pc.assistants.context(assistant_name=NAME, query="locks of the canal", top_k=2))
    assert "17 locks" in found.snippets[0].content


async def evaluates_alignment(t):
    question = {"question": "What is the capital of France?", "ground_truth_answer": "Paris is the capital of France."}
    right = await done(t.pc.assistants.evaluate_alignment(**question, answer="The capital of France is Paris."))
    wrong = await done(t.pc.assistants.evaluate_alignment(**question, answer="The capital of France is London."))
    assert right.scores.alignment > 0.7 and wrong.scores.alignment < 0.5, (right.scores, wrong.scores)


async def deletes_an_assistant(t):
    await done(t.pc.assistants.delete_file(assistant_name=NAME, file_id=t.file.id))
    await done(t.pc.assistants.delete(name=NAME))
    await raises(Exception, lambda: t.pc.assistants.describe(name=NAME))


TESTS = [
    lists_and_describes_models,
    embeds_dense_and_sparse,
    reranks,
    creates_and_updates_an_assistant,
    keeps_the_older_calls_of_assistants,
    uploads_and_lists_files,
    lists_operations,
    chats_whole_and_in_pieces,
    finds_context,
    evaluates_alignment,
    deletes_an_assistant,
]
