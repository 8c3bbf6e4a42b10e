// Guarantees of operations that have ended: they are kept for 30 days, and no longer, without anybody listing them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATION_LIFE_MS } from '../../../domain/assistants/limits.ts';
import { AssistantFixture, textFile } from '../testing/assistant-fixture.ts';
import { forgetOperations } from './forget-operations.ts';

test('keeps an operation for 30 days after its end, and forgets all that ended earlier, step by step', async () => {
  const { fixture, running, assistant } = await AssistantFixture.withAssistant();
  const { catalog } = fixture.plane;
  const uploads = [1, 2, 3].map((n) => running.files.upload(assistant, textFile(`heron ${n}`)));
  for (const { operation } of await Promise.all(uploads)) await fixture.ended(running, assistant, operation);
  const shown = async () =>
    (await running.files.operations(assistant, {}, { limit: 10, after: null })).items.length;
  const { signal } = new AbortController();
  await forgetOperations({ catalog, signal, now: () => Date.now() + OPERATION_LIFE_MS - 3_600_000 });
  assert.equal(await shown(), 3);
  const now = () => Date.now() + OPERATION_LIFE_MS + 3_600_000;
  await forgetOperations({ catalog, signal: AbortSignal.abort(), now });
  assert.equal(await shown(), 3);
  await forgetOperations({ catalog, signal, now, stepOperations: 2 });
  assert.equal(await shown(), 0);
  await fixture.dispose();
});
