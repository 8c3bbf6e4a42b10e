// The sweep removes only unreferenced bytes, and none that may still be referenced.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AssistantFixture, bytesOf, textFile } from '../testing/assistant-fixture.ts';
import { sweepUploads } from './sweep-uploads.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

test('removes bytes without a revision once they are a day old, and no others', async () => {
  const fixture = await AssistantFixture.make();
  const running = await fixture.start();
  const assistant = await fixture.ready(running);
  const { operation } = await running.files.upload(assistant, textFile('heron'));
  await fixture.ended(running, assistant, operation);
  await fixture.blobs.put(`assistants/${assistant.id}/lost`, bytesOf('lost'));
  const { catalog } = fixture.plane;
  assert.equal(await sweepUploads({ blobs: fixture.blobs, catalog }), 0);
  assert.equal(await sweepUploads({ blobs: fixture.blobs, catalog, now: () => Date.now() + 2 * DAY_MS }), 1);
  assert.equal((await fixture.stored()).length, 1);
  await fixture.dispose();
});
