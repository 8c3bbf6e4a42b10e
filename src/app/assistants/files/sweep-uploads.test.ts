// The sweep removes only bytes that no catalog has known, and none that may still be referenced.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryCatalog } from '../../../http/testing/fakes.ts';
import { AssistantFixture, bytesOf, textFile } from '../testing/assistant-fixture.ts';
import { sweepUploads } from './sweep-uploads.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const now = () => Date.now() + 2 * DAY_MS;

test('removes bytes without a revision once they are a day old, and no others', async () => {
  const { fixture, running, assistant } = await AssistantFixture.withAssistant();
  const { operation } = await running.files.upload(assistant, textFile('heron'));
  await fixture.ended(running, assistant, operation);
  await fixture.blobs.put(`assistants/${assistant.id}/lost`, bytesOf('lost'));
  const { catalog } = fixture.plane;
  const nothing = { removed: 0, orphaned: 0 };
  assert.deepEqual(await sweepUploads({ blobs: fixture.blobs, catalog }), nothing);
  assert.deepEqual(await sweepUploads({ blobs: fixture.blobs, catalog, now }), { ...nothing, removed: 1 });
  assert.equal((await fixture.stored()).length, 1);
  await fixture.dispose();
});

test('keeps uploads that are described when a new or older catalog does not know them', async () => {
  const { fixture, running, assistant } = await AssistantFixture.withAssistant();
  const { operation } = await running.files.upload(assistant, textFile('heron'));
  await fixture.ended(running, assistant, operation);
  const { key } = (await fixture.stored())[0] ?? assert.fail('nothing is stored');
  await fixture.blobs.put(`${key}.tables`, bytesOf('rows'));
  await fixture.blobs.put(`assistants/${assistant.id}/lost`, bytesOf('lost'));
  const catalog = await memoryCatalog();
  assert.deepEqual(await sweepUploads({ blobs: fixture.blobs, catalog, now }), { removed: 1, orphaned: 1 });
  assert.deepEqual(
    (await fixture.stored()).map((each) => each.key),
    [key, `${key}.tables`],
  );
  await catalog.close();
  await fixture.dispose();
});
