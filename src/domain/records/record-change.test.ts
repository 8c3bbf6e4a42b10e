// Changes of stored records hold to the limit of metadata, but for the moment that the server may have added.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { METADATA_BYTES_MAX } from '../limits.ts';
import { changedMetadata } from './record-change.ts';

const VECTORS = { documents: null, dimension: 2 };
const MOMENT = 1_800_000_000;

/** Metadata of exactly the limit, and a moment more. */
function stamped(): string {
  const text = 'x'.repeat(METADATA_BYTES_MAX - '{"year":1979,"text":""}'.length);
  return JSON.stringify({ year: 1979, text, expires_at: MOMENT });
}

function changed(
  metadataJson: string,
  setMetadata: Readonly<Record<string, number | string>>,
): string | null {
  return changedMetadata({ id: 'a', sparse: null, metadataJson }, { setMetadata }, VECTORS);
}

test('changes a record that the server has made too big, also where it adds no moments any more', () => {
  const next = changed(stamped(), { year: 1980 });
  assert.deepEqual(JSON.parse(next ?? ''), { ...JSON.parse(stamped()), year: 1980 });
});

test('lets no change make more of a record than the limit beside the moment', () => {
  assert.throws(() => changed(stamped(), { more: 1 }), { condition: 'metadata-too-big' });
  const without = JSON.stringify({ text: 'x'.repeat(METADATA_BYTES_MAX) });
  assert.throws(() => changed(without, { more: 1 }), { condition: 'metadata-too-big' });
});
