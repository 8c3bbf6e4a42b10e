// That only bytes nobody names are swept, and none that may still get a name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AssistantBed, bytesOf, textFile } from '../testing/assistant-fixture.ts';
import { sweepUploads } from './sweep-uploads.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

test('bytes that no revision names are removed once they are a day old, and no others', async () => {
  const bed = await AssistantBed.make();
  const running = await bed.start();
  const assistant = await bed.ready(running);
  const { operation } = await running.files.upload(assistant, textFile('heron'));
  await bed.ended(running, assistant, operation);
  await bed.blobs.put(`assistants/${assistant.id}/lost`, bytesOf('lost'));
  const { catalog } = bed.plane;
  assert.equal(await sweepUploads({ blobs: bed.blobs, catalog }), 0);
  assert.equal(await sweepUploads({ blobs: bed.blobs, catalog, now: () => Date.now() + 2 * DAY_MS }), 1);
  assert.equal((await bed.stored()).length, 1);
  await bed.dispose();
});
