// Files from upload to answer: states, operations, crashes, replacement and deletion.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Assistant } from '../../../domain/assistants/assistant.ts';
import { chunkIndexes } from '../../../domain/assistants/assistant.ts';
import { fault } from '../../../domain/faults.ts';
import { parseFilter } from '../../../domain/filter/parse-filter.ts';
import { eventually, OWNER, STRANGER } from '../../indexes/testing/control-plane.ts';
import { AssistantFixture, bytesOf, type RunningAssistants, textFile } from '../testing/assistant-fixture.ts';

const FIRST_PAGE = { limit: 10, after: null };
const { signal } = new AbortController();

describe('files of assistants', () => {
  let fixture: AssistantFixture;
  let running: RunningAssistants;
  let assistant: Assistant;
  beforeEach(async () => {
    ({ fixture, running, assistant } = await AssistantFixture.withAssistant());
  });
  afterEach(() => fixture.dispose());

  const found = async (text: string, filter: unknown = {}): Promise<readonly string[]> => {
    const question = { text, filter: parseFilter(filter), topK: 5, snippetTokens: 1, widened: false, signal };
    const { snippets } = await running.retriever.retrieve(assistant, question);
    return snippets.map(({ chunks }) => chunks[0].text);
  };
  const chunks = (): Promise<readonly number[]> => {
    const { dense, sparse } = chunkIndexes(assistant);
    return Promise.all([fixture.engine.size(dense), fixture.engine.size(sparse)]);
  };

  it('are Processing first, and Available once everything is searchable', async () => {
    let release = (): void => {};
    fixture.beforeParse = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    const text = 'the heron eats fish\nthe mole digs tunnels';
    const { file, operation } = await running.files.upload(
      assistant,
      textFile(text, { metadata: { kind: 'a' } }),
    );
    assert.equal(file.state, 'Processing');
    assert.equal(file.size, text.length);
    assert.equal(file.sha256, createHash('sha256').update(text).digest('hex'));
    assert.deepEqual(await found('heron fish'), []);
    await eventually(() => {
      release();
      return running.files.describe(assistant, file.id).then(({ state }) => state === 'Available');
    });
    const done = await running.files.operation(assistant, operation.id);
    assert.deepEqual(
      [done.state, done.percent, done.ingestionUnits, done.type],
      ['Completed', 100, 1, 'upload_file'],
    );
    assert.deepEqual((await found('heron fish'))[0], 'the heron eats fish');
    assert.equal((await fixture.revision(file))?.processing?.chunks, 2);
    assert.deepEqual(await chunks(), [2, 2]);
  });

  it('fail a question whose searches fail one after the other, and nothing else', async () => {
    const { operation } = await running.files.upload(assistant, textFile('heron'));
    await fixture.ended(running, assistant, operation);
    const { dense } = chunkIndexes(assistant);
    const reader = ({ id }: { readonly id: string }) => {
      const search = async () => {
        // The second failure comes when the question has been answered.
        if (id === dense.id) await new Promise((resolve) => setTimeout(resolve, 5));
        throw fault('index-not-found', { name: assistant.name });
      };
      return new Proxy({}, { get: () => search });
    };
    Object.assign(fixture.engine, { reader });
    await assert.rejects(found('heron'), /helper not found/);
    await new Promise((resolve) => setTimeout(resolve, 20));
  });

  it('are searched and listed by filters on metadata', async () => {
    const uploads = ['a', 'b'].map((kind) => textFile(`heron ${kind}`, { metadata: { kind } }));
    for (const each of uploads) {
      await fixture.ended(running, assistant, (await running.files.upload(assistant, each)).operation);
    }
    assert.deepEqual(await found('heron', { kind: 'b' }), ['heron b']);
    assert.deepEqual(await found('heron', { kind: { $ne: 'b' } }), ['heron a']);
    assert.deepEqual(await found('heron', { kind: 'c' }), []);
    const { items } = await running.files.list(assistant, parseFilter({ kind: 'a' }), FIRST_PAGE);
    assert.deepEqual(
      items.map(({ metadata }) => metadata),
      [{ kind: 'a' }],
    );
  });

  it('include chunks without words, with their text', async () => {
    const { operation } = await running.files.upload(assistant, textFile('heron\n \nmole'));
    await fixture.ended(running, assistant, operation);
    assert.deepEqual(await chunks(), [3, 3]);
    assert.deepEqual((await found('heron')).toSorted(), [' ', 'heron', 'mole']);
  });

  it('give snippets as many chunks on either side as fit', async () => {
    const { operation } = await running.files.upload(assistant, textFile('a\nb\nc\nd\nheron\ne\nf\ng\nh'));
    await fixture.ended(running, assistant, operation);
    const signal = new AbortController().signal;
    const question = { text: 'heron', filter: null, topK: 1, widened: true, signal };
    const { snippets } = await running.retriever.retrieve(assistant, { ...question, snippetTokens: 7 });
    assert.equal(snippets[0]?.chunks.length, 7);
  });

  it('leave nothing when refused, too large, empty or interrupted', async () => {
    const upload = (change: object) => running.files.upload(assistant, { ...textFile('x'), ...change });
    async function* cutOff(): AsyncGenerator<Uint8Array> {
      yield* bytesOf('some');
      throw new Error('gone');
    }
    async function* tooLarge(): AsyncGenerator<Uint8Array> {
      for (;;) yield new Uint8Array(1_000_000);
    }
    await assert.rejects(upload({ content: cutOff() }), /gone/);
    await assert.rejects(upload({ content: tooLarge() }), /at most 10000000 bytes/);
    await assert.rejects(upload({ content: bytesOf('') }), /empty/);
    await assert.rejects(upload({ name: 'x.exe' }), /not supported/);
    await assert.rejects(upload({ multimodal: true }), /PDF/);
    await assert.rejects(upload({ fileId: 'a/b' }), /File ids/);
    await assert.rejects(upload({ metadata: () => ({ a: null }) }), /Metadata value/);
    await assert.rejects(upload({ metadata: () => ({ a: 'x'.repeat(20_000) }) }), /16384/);
    assert.deepEqual(await fixture.stored(), []);
    assert.deepEqual((await running.files.list(assistant, null, FIRST_PAGE)).items, []);
  });

  it('fail with a reason when unreadable, and are then deleted at once', async () => {
    const { file, operation } = await running.files.upload(assistant, textFile('  \n '));
    const ended = await fixture.ended(running, assistant, operation);
    assert.deepEqual([ended.state, ended.error], ['Failed', 'The file contains no text.']);
    const failed = await running.files.describe(assistant, file.id);
    assert.deepEqual([failed.state, failed.error], ['ProcessingFailed', 'The file contains no text.']);
    await fixture.idle();
    assert.deepEqual(await fixture.stored(), []);
    assert.equal((await running.files.remove(assistant, file.id)).state, 'Completed');
    await assert.rejects(running.files.describe(assistant, file.id), /not found/);
  });

  it('answer with their old content until the new one is published, never with both', async () => {
    const first = await running.files.upload(assistant, textFile('heron old', { fileId: 'f' }));
    await fixture.ended(running, assistant, first.operation);
    let release = (): void => {};
    fixture.engine.beforeWrite = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    const second = await running.files.upload(assistant, textFile('heron new\nmore', { fileId: 'f' }));
    assert.deepEqual([second.file.state, second.file.size], ['Available', 'heron old'.length]);
    assert.deepEqual(await found('heron'), ['heron old']);
    await eventually(async () => {
      release();
      const texts = await found('heron');
      assert.equal(texts.filter((text) => text.startsWith('heron')).length, 1);
      return texts.includes('heron new');
    });
    await fixture.idle();
    assert.deepEqual(await chunks(), [2, 2]);
    assert.equal((await fixture.stored()).length, 1);
  });

  it('keep their content when a replacement fails', async () => {
    const first = await running.files.upload(assistant, textFile('heron', { fileId: 'f' }));
    await fixture.ended(running, assistant, first.operation);
    const second = await running.files.upload(assistant, textFile(' ', { fileId: 'f' }));
    assert.equal((await fixture.ended(running, assistant, second.operation)).state, 'Failed');
    assert.equal((await running.files.describe(assistant, 'f')).state, 'Available');
    assert.deepEqual(await found('heron'), ['heron']);
  });

  it('keep the later of two uploads under one id', async () => {
    const begun = Promise.withResolvers<void>();
    fixture.beforeParse = (stop) => {
      begun.resolve();
      return new Promise((_, reject) => stop?.addEventListener('abort', () => reject(stop.reason)));
    };
    const first = await running.files.upload(assistant, textFile('one', { fileId: 'f' }));
    await begun.promise;
    fixture.beforeParse = async () => {};
    const second = await running.files.upload(assistant, textFile('two', { fileId: 'f' }));
    await fixture.ended(running, assistant, second.operation);
    assert.match((await running.files.operation(assistant, first.operation.id)).error ?? '', /later upload/);
    await fixture.idle();
    assert.deepEqual(await found('one two'), ['two']);
    assert.equal((await fixture.stored()).length, 1);
  });

  it('never answer when deleted during processing, and leave nothing', async () => {
    let writes = 0;
    fixture.engine.beforeWrite = async () => {
      writes++;
      if (writes === 2) await new Promise((resolve) => setImmediate(resolve));
    };
    const { file } = await running.files.upload(assistant, textFile('heron\nmole'));
    const removal = await running.files.remove(assistant, file.id);
    await eventually(async () => {
      const shown = await running.files.describe(assistant, file.id).catch(() => null);
      assert.notEqual(shown?.state, 'Available');
      return shown === null;
    });
    await fixture.idle();
    assert.equal((await running.files.operation(assistant, removal.id)).state, 'Completed');
    assert.deepEqual([await fixture.stored(), await chunks()], [[], [0, 0]]);
  });

  it('resume after a restart, and write no chunk under two ids', async () => {
    const lines = Array.from({ length: 200 }, (_, at) => `line ${at}`).join('\n');
    const counts: number[] = [];
    fixture.engine.beforeWrite = async (index, count) => {
      if (index.vectorType === 'dense') counts.push(count);
      if (counts.length >= 3) throw new Error('the disk is away');
    };
    const { file } = await running.files.upload(assistant, textFile(lines));
    await eventually(() => counts.length >= 3);
    await running.stop();
    fixture.engine.beforeWrite = async (index, count) => {
      if (index.vectorType === 'dense') counts.push(count);
    };
    running = await fixture.start();
    await eventually(async () => (await running.files.describe(assistant, file.id)).state === 'Available');
    assert.deepEqual(await chunks(), [200, 200]);
    assert.deepEqual(counts.slice(0, 3), [64, 64, 64]);
    assert.deepEqual(counts.slice(-2), [64, 8]);
  });

  it('are deleted with their assistant, its indexes and running jobs, which frees its name', async () => {
    await running.files.upload(assistant, textFile('heron\nmole'));
    await running.assistants.remove(OWNER, 'helper');
    assert.equal((await running.assistants.describe(OWNER, 'helper')).state, 'Terminating');
    await assert.rejects(running.assistants.ready(OWNER, 'helper'), /not found/);
    await assert.rejects(running.files.upload(assistant, textFile('late')), /not found/);
    await eventually(() =>
      running.assistants.describe(OWNER, 'helper').then(
        () => false,
        () => true,
      ),
    );
    await fixture.idle();
    assert.deepEqual([await fixture.stored(), fixture.engine.indexes.size], [[], 0]);
    await fixture.ready(running);
  });

  it('hide assistants of other projects', async () => {
    await assert.rejects(running.assistants.describe(STRANGER, 'helper'), /Assistant "helper" not found/);
    await running.assistants.create(STRANGER, { name: 'helper' });
    await assert.rejects(running.assistants.create(OWNER, { name: 'helper' }), /already exists/);
  });

  it('are refused, like questions, when the models of the assistant have changed', async () => {
    fixture.inference.setRevision('2');
    await assert.rejects(found('heron'), /embedded by test 1/);
    const upload = running.files.upload(assistant, textFile('heron'));
    await assert.rejects(upload, { condition: 'assistant-models-changed', message: /now served by test 2/ });
    assert.deepEqual(await fixture.stored(), []);
  });
});
