// Files whose processing goes on under a parser that finds other text, as after an upgrade.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type Assistant, chunkIndexes } from '../../../domain/assistants/assistant.ts';
import { invalid } from '../../../domain/faults.ts';
import { eventually, OWNER } from '../../indexes/testing/control-plane.ts';
import { ChunkStore } from '../chunks/chunk-store.ts';
import { AssistantFixture, type RunningAssistants, textFile } from '../testing/assistant-fixture.ts';

const { signal } = new AbortController();
const LONG = Array.from({ length: 200 }, (_, at) => `pelican ${at}`).join('\n');
/** What another parser finds: less than two batches. */
const LINES = 80;

describe('a file that another parser goes on with', () => {
  let fixture: AssistantFixture;
  let running: RunningAssistants;
  let assistant: Assistant;
  beforeEach(async () => {
    ({ fixture, running, assistant } = await AssistantFixture.withAssistant());
  });
  afterEach(() => fixture.dispose());

  const chunks = async (): Promise<readonly number[]> => {
    assistant = await running.assistants.ready(OWNER, 'helper');
    const { dense, sparse } = chunkIndexes(assistant);
    return [await fixture.engine.size(dense), await fixture.engine.size(sparse)];
  };
  /** From the given dense write on, the disk is away. */
  const failFrom = (write: number): void => {
    let writes = 0;
    fixture.engine.beforeWrite = async ({ vectorType }) => {
      if (vectorType === 'dense') writes++;
      if (writes >= write) throw new Error('the disk is away');
    };
  };
  const restartedWith = async (lines: number): Promise<void> => {
    await eventually(() => fixture.failures.length > 0);
    await running.stop();
    fixture.engine.beforeWrite = async () => {};
    fixture.linesMax = lines;
    running = await fixture.start();
    await fixture.idle();
  };

  for (const write of [1, 3]) {
    it(`keeps no chunk of the former one when write ${write} was the last`, async () => {
      failFrom(write);
      const { file } = await running.files.upload(assistant, textFile(LONG));
      const lines = write === 1 ? 10 : LINES;
      await restartedWith(lines);
      assert.equal((await running.files.describe(assistant, file.id)).state, 'Available');
      assert.deepEqual(await chunks(), [lines, lines]);
    });
  }

  for (const written of ['all that it is found by', 'its text alone'])
    it(`keeps no chunk of a release that noted no progress and had written ${written}`, async () => {
      const gate = Promise.withResolvers<void>();
      fixture.beforeParse = () => gate.promise;
      const { file, operation } = await running.files.upload(assistant, textFile('heron\nmole'));
      const { revisionId } = await running.files.describe(assistant, file.id);
      const left = Array.from({ length: 10 }, (_, number) => ({
        chunk: { revisionId, number, text: 'pelican', start: number, tokens: 1, headings: [] },
        dense: new Float32Array(assistant.models.dense.dimension).fill(1),
        words: { terms: 'pelican', title: '' },
      }));
      await new ChunkStore(fixture, assistant).write(left);
      if (written === 'its text alone')
        await fixture.engine.writer(chunkIndexes(assistant).dense).deleteNamespace('');
      gate.resolve();
      await fixture.ended(running, assistant, operation);
      assert.deepEqual(await chunks(), [2, 2]);
    });

  it('keeps no chunk of the former one when it is embedded again into the same indexes', async () => {
    const { operation } = await running.files.upload(assistant, textFile(LONG));
    await fixture.ended(running, assistant, operation);
    fixture.inference.setRevision('2');
    failFrom(3);
    await running.reembeddings.start(OWNER, 'helper');
    await restartedWith(LINES);
    assert.deepEqual(await chunks(), [LINES, LINES]);
  });

  for (const cause of ['the file', 'the job'] as const) {
    it(`keeps no chunk when embedding it again ends because of ${cause}`, async () => {
      const { operation } = await running.files.upload(assistant, textFile(LONG));
      await fixture.ended(running, assistant, operation);
      fixture.inference.setRevision('2');
      let writes = 0;
      fixture.engine.beforeWrite = async ({ vectorType }) => {
        if (vectorType === 'dense') writes++;
        if (writes > 1) throw cause === 'the file' ? invalid('The text is refused.') : new Error('disk');
      };
      await running.reembeddings.start(OWNER, 'helper');
      if (cause === 'the job') {
        await eventually(() => fixture.failures.length > 0);
        const [job] = await fixture.plane.catalog.jobs.active({});
        await running.jobs.cancel(job?.id ?? '');
      }
      await fixture.idle();
      assert.deepEqual(await chunks(), [0, 0]);
    });
  }

  it('does not answer with chunks that an earlier release has left behind its last', async () => {
    const { file, operation } = await running.files.upload(assistant, textFile('heron\nmole'));
    await fixture.ended(running, assistant, operation);
    const { revisionId } = await running.files.describe(assistant, file.id);
    const [vectors] = (
      await fixture.engine.reader(chunkIndexes(assistant).dense).fetch('', [`${revisionId}_1`])
    ).map(({ values }) => values);
    assert.ok(vectors);
    const chunk = { revisionId, number: 2, text: 'pelican', start: 11, tokens: 1, headings: [] };
    await new ChunkStore(fixture, assistant).write([
      { chunk, dense: vectors, words: { terms: 'pelican', title: '' } },
    ]);
    for (const widened of [false, true]) {
      const question = { text: 'pelican mole', filter: null, topK: 5, snippetTokens: 9, widened, signal };
      const { snippets } = await running.retriever.retrieve(assistant, question);
      const texts = snippets.flatMap((snippet) => snippet.chunks.map(({ text }) => text));
      assert.deepEqual(texts.toSorted(), ['heron', 'mole']);
    }
  });
});
