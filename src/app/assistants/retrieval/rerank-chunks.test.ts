// Chunks that a reranking model refuses are answered from all the same, in the order in which they were found.
import assert from 'node:assert/strict';
import { after, before, describe, it, mock } from 'node:test';
import { fault } from '../../../domain/faults.ts';
import type { Inference } from '../../../domain/inference/port.ts';
import { AssistantFixture, textFile } from '../testing/assistant-fixture.ts';
import { Retriever } from './retriever.ts';

describe('chunks beside a reranking model', () => {
  let fixture: AssistantFixture;
  before(async () => {
    fixture = await AssistantFixture.make();
  });
  after(() => fixture.dispose());

  it('answer in the order before where it refuses one, and not while it is away', async () => {
    const running = await fixture.start();
    const assistant = await fixture.ready(running);
    await running.files.upload(assistant, textFile('heron eats fish\nmole digs tunnels\nheron'));
    await fixture.idle();
    const rerank = 'bge-reranker-v2-m3';
    const parts = { catalog: fixture.plane.catalog, engine: fixture.engine, rerank };
    const by = (score: Inference['rerank'], isBuiltIn = false) => {
      const inference = {
        ...fixture.inference,
        rerank: score,
        isBuiltIn: (name: string) => isBuiltIn && name === rerank,
      };
      const { signal } = new AbortController();
      const question = { text: 'heron', filter: null, topK: 3, snippetTokens: 3, widened: false, signal };
      return new Retriever({ ...parts, inference }).retrieve(assistant, question);
    };
    const failing = (error: Error) => () => Promise.reject(error);
    const refused = fault('invalid-argument', { reason: 'Document 1 is refused by its model.' });
    const spy = mock.fn(failing(refused));
    const before = await by(() => assert.fail('a built-in model is not asked'), true);
    assert.deepEqual((await by(spy)).snippets, before.snippets);
    assert.equal(spy.mock.callCount(), 1);
    const away = fault('model-unavailable', { model: rerank, reason: 'no answer' });
    await assert.rejects(by(failing(away)), away);
  });
});
