// Re-embedding after a change of models: file by file, whatever happens meanwhile.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { refusal } from '../../../documents/refusal.ts';
import { type Assistant, chunkIndexes } from '../../../domain/assistants/assistant.ts';
import type { AssistantFile } from '../../../domain/assistants/file.ts';
import { eventually, OWNER, STRANGER } from '../../indexes/testing/control-plane.ts';
import { AssistantFixture, type RunningAssistants, textFile } from '../testing/assistant-fixture.ts';

const { signal } = new AbortController();
const NAMES = ['a', 'b', 'c'];
const ALL = { limit: 100, after: null };

describe('re-embedding an assistant', () => {
  let fixture: AssistantFixture;
  let running: RunningAssistants;
  let assistant: Assistant;
  beforeEach(async () => {
    ({ fixture, running, assistant } = await AssistantFixture.withAssistant());
    for (const fileId of NAMES) await upload(`heron ${fileId}`, fileId);
  });
  afterEach(() => fixture.dispose());

  const upload = async (text: string, fileId: string): Promise<void> => {
    const { operation } = await running.files.upload(assistant, textFile(text, { fileId }));
    await fixture.ended(running, assistant, operation);
  };
  const found = async (): Promise<readonly string[]> => {
    assistant = await running.assistants.ready(OWNER, 'helper');
    const question = { text: 'heron', filter: null, topK: 9, snippetTokens: 1, widened: false, signal };
    const { snippets } = await running.retriever.retrieve(assistant, question);
    return snippets.map(({ chunks }) => chunks[0].text).toSorted();
  };
  const file = (id: string): Promise<AssistantFile> => running.files.describe(assistant, id);
  const states = async () => (await Promise.all(NAMES.map(file))).map(({ state }) => state);
  const reembedded = async () => {
    await running.reembeddings.start(OWNER, 'helper');
    await fixture.idle();
    return running.reembeddings.latest(OWNER, 'helper');
  };

  it('lets files answer again from other indexes, with unchanged attributes', async () => {
    const before = await file('a');
    fixture.inference.setRevision('2');
    await assert.rejects(found(), {
      condition: 'assistant-models-changed',
      message: /reembed --assistant helper/,
    });
    const { state, remade, failed } = await reembedded();
    assert.deepEqual([state, remade, failed], ['Completed', 3, 0]);
    assert.deepEqual(await found(), ['heron a', 'heron b', 'heron c']);
    assert.deepEqual(await file('a'), before);
    const { dense, sparse } = chunkIndexes(assistant);
    assert.deepEqual([...fixture.engine.indexes.keys()].toSorted(), [dense.id, sparse.id].toSorted());
    assert.deepEqual([await fixture.engine.size(dense), await fixture.engine.size(sparse)], [3, 3]);
    assert.equal((await fixture.stored()).length, 3);
  });

  it('does nothing with the same models, and merges concurrent requests', async () => {
    const requested = Array.from({ length: 3 }, () => running.reembeddings.start(OWNER, 'helper'));
    assert.equal(new Set((await Promise.all(requested)).map(({ createdAt }) => createdAt)).size, 1);
    await fixture.idle();
    assert.equal((await running.reembeddings.latest(OWNER, 'helper')).remade, 0);
    assert.equal((await running.assistants.ready(OWNER, 'helper')).denseIndexId, assistant.id);
    await assert.rejects(running.reembeddings.start(STRANGER, 'helper'), {
      condition: 'assistant-not-found',
    });
  });

  it('lets each file answer as soon as it is done, and shows the others as Processing', async () => {
    fixture.inference.setRevision('2');
    let writes = 0;
    const hold = Promise.withResolvers<void>();
    fixture.engine.beforeWrite = async () => {
      if (++writes > 2) await hold.promise;
    };
    await running.reembeddings.start(OWNER, 'helper');
    await eventually(() => writes === 3);
    assert.deepEqual((await states()).toSorted(), ['Available', 'Processing', 'Processing']);
    assert.equal((await found()).length, 1);
    hold.resolve();
    await fixture.idle();
    assert.equal((await found()).length, 3);
  });

  it('resumes with the remaining files after a restart, and starts over when models change again', async () => {
    fixture.inference.setRevision('2');
    let writes = 0;
    fixture.engine.beforeWrite = async () => {
      if (++writes > 4) throw new Error('the disk is away');
    };
    await running.reembeddings.start(OWNER, 'helper');
    await eventually(() => writes > 4);
    await running.stop();
    fixture.engine.beforeWrite = async () => void writes++;
    writes = 0;
    running = await fixture.start();
    await fixture.idle();
    assert.deepEqual([writes, (await found()).length], [2, 3]);

    fixture.inference.setRevision('3');
    fixture.engine.beforeWrite = async () => {
      throw new Error('the disk is away');
    };
    await running.reembeddings.start(OWNER, 'helper');
    await eventually(async () => (await states()).includes('Processing'));
    await running.stop();
    fixture.inference.setRevision('4');
    fixture.engine.beforeWrite = async () => {};
    running = await fixture.start();
    await fixture.idle();
    assert.equal((await found()).length, 3);
    assert.equal(fixture.engine.indexes.size, 2, 'no index of an earlier try is left');
  });

  it('keeps the indexes that answer when it is interrupted and the provider is set back', async () => {
    const { engine } = fixture;
    fixture.inference.setRevision('2');
    const create = engine.createIndex;
    engine.createIndex = () => Promise.reject(new Error('the disk is away'));
    await running.reembeddings.start(OWNER, 'helper');
    await eventually(() => fixture.failures.length > 0);
    await running.stop();
    fixture.inference.setRevision('1');
    engine.createIndex = create;
    running = await fixture.start();
    await fixture.idle();
    assert.deepEqual(await found(), ['heron a', 'heron b', 'heron c']);
    assert.equal(engine.indexes.size, 2);
  });

  it('fails a file with a reason, keeps its bytes, and includes it in the next run', async () => {
    fixture.inference.setRevision('2');
    const parse = fixture.beforeParse;
    fixture.beforeParse = () => Promise.reject(refusal('empty'));
    const { failed } = await reembedded();
    assert.equal(failed, 3);
    const one = await file('a');
    assert.deepEqual([one.state, one.error], ['ProcessingFailed', 'The file contains no text.']);
    assert.equal((await fixture.stored()).length, 3);
    fixture.beforeParse = parse;
    assert.equal((await reembedded()).remade, 3);
    assert.deepEqual(await states(), ['Available', 'Available', 'Available']);
  });

  it('includes uploads that were accepted but not processed when the models changed', async () => {
    fixture.beforeParse = (signal) =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    const requested = [
      await running.files.upload(assistant, textFile('heron new b', { fileId: 'b' })),
      await running.files.upload(assistant, textFile('heron d', { fileId: 'd' })),
    ];
    await running.stop();
    fixture.inference.setRevision('2');
    fixture.beforeParse = async () => {};
    running = await fixture.start();
    await eventually(() => fixture.failures.length >= requested.length);
    assert.equal((await file('d')).state, 'Processing');
    await reembedded();
    for (const { operation } of requested)
      assert.equal((await running.files.operation(assistant, operation.id)).state, 'Completed');
    assert.deepEqual(await found(), ['heron a', 'heron c', 'heron d', 'heron new b']);
  });

  it('is not needed for uploads that were accepted before, once the provider is set back', async () => {
    fixture.beforeParse = (signal) =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    await running.files.upload(assistant, textFile('heron d', { fileId: 'd' }));
    await running.stop();
    fixture.beforeParse = async () => {};
    fixture.inference.setRevision('2');
    running = await fixture.start();
    await eventually(() => fixture.failures.length > 0);
    await running.stop();
    fixture.inference.setRevision('1');
    running = await fixture.start();
    await fixture.idle();
    assert.deepEqual(await found(), ['heron a', 'heron b', 'heron c', 'heron d']);
  });

  it('does not affect concurrent uploads, replacements and deletions', async () => {
    fixture.inference.setRevision('2');
    const hold = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    fixture.engine.beforeWrite = async () => {
      reached.resolve();
      await hold.promise;
    };
    await running.reembeddings.start(OWNER, 'helper');
    await reached.promise;
    assistant = await running.assistants.ready(OWNER, 'helper');
    const requested = [
      await running.files.upload(assistant, textFile('heron new b', { fileId: 'b' })),
      await running.files.upload(assistant, textFile('heron d', { fileId: 'd' })),
    ];
    await running.files.remove(assistant, 'c');
    await running.files.remove(assistant, 'a');
    hold.resolve();
    for (const { operation } of requested) {
      assert.equal((await fixture.ended(running, assistant, operation)).state, 'Completed');
    }
    await fixture.idle();
    assert.deepEqual(await found(), ['heron d', 'heron new b']);
    const { dense } = chunkIndexes(assistant);
    assert.equal(await fixture.engine.size(dense), 2, 'no chunk of what is gone is left');
    assert.equal((await fixture.stored()).length, 2);
  });

  /** Re-embeds until half of a file is written, deletes that file, and goes on until `hit` fails the other half. */
  async function reembedsWhatIsDeleted(hit: () => void): Promise<void> {
    const lines = Array.from({ length: 100 }, (_, number) => `pelican ${number}`);
    await upload(lines.join('\n'), 'long');
    for (const id of NAMES) await running.files.remove(assistant, id);
    await fixture.idle();
    fixture.inference.setRevision('2');
    const cleared = Promise.withResolvers<void>();
    let writes = 0;
    fixture.engine.beforeWrite = async () => {
      writes++;
      if (writes === 3) await cleared.promise;
      if (writes === 4) hit();
    };
    await running.reembeddings.start(OWNER, 'helper');
    await eventually(() => writes === 3);
    await running.files.remove(assistant, 'long');
    await eventually(async () => (await running.files.list(assistant, null, ALL)).items.length === 0);
    cleared.resolve();
    await eventually(() => fixture.failures.length > 0);
  }
  const left = async () => {
    const { dense, sparse } = chunkIndexes(await running.assistants.ready(OWNER, 'helper'));
    const { engine } = fixture;
    return [await engine.size(dense), await engine.size(sparse), (await fixture.stored()).length];
  };

  it('leaves nothing of a file that was deleted while it was embedded again, when that fails', async () => {
    await reembedsWhatIsDeleted(() => {
      throw new Error('the disk is away');
    });
    await fixture.idle();
    assert.deepEqual(await left(), [0, 0, 0]);
  });

  it('leaves nothing of a file that was deleted while it was embedded again, when the server ends', async () => {
    const { engine } = fixture;
    const { writer } = engine;
    await reembedsWhatIsDeleted(() => {
      engine.writer = () => {
        throw new Error('the disk is away');
      };
      throw new Error('the disk is away');
    });
    await running.stop();
    engine.writer = writer;
    assert.notDeepEqual(await left(), [0, 0, 0]);
    running = await fixture.start();
    await fixture.idle();
    assert.deepEqual(await left(), [0, 0, 0]);
  });

  it('drops old and new indexes when the assistant is deleted meanwhile', async () => {
    fixture.inference.setRevision('2');
    const reached = Promise.withResolvers<void>();
    const removed = Promise.withResolvers<void>();
    fixture.engine.beforeWrite = () => {
      reached.resolve();
      return removed.promise;
    };
    await running.reembeddings.start(OWNER, 'helper');
    await reached.promise;
    assert.equal(fixture.engine.indexes.size, 4);
    await running.assistants.remove(OWNER, 'helper');
    removed.resolve();
    await fixture.idle();
    assert.deepEqual([fixture.engine.indexes.size, await fixture.stored()], [0, []]);
  });
});
