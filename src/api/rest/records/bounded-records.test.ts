// A fetch by ids has no pages, so it has a bound: what does not fit is refused before all of it is read.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { StoredRecord, VectorReader } from '../../../app/records/record-access.ts';
import { Fault } from '../../../domain/faults.ts';
import { AnswerText } from '../../../domain/records/answer-text.ts';
import { dense, sampleProfile } from '../../../engine/conformance/sample-data.ts';
import { ReferenceIndex } from '../../../engine/reference/reference-index.ts';
import { addRecords, RECORDS_READ_FIRST, RECORDS_READ_MAX } from './bounded-records.ts';

const ITEMS = Array.from({ length: RECORDS_READ_FIRST + 3 * RECORDS_READ_MAX }, (_, i) => ({ id: `r${i}` }));

/** A reader of all items, which notes how many records each call reads. */
async function countingReader(content = '') {
  const index = new ReferenceIndex(sampleProfile());
  await index.upsert(
    'n',
    ITEMS.map(({ id }) => ({ ...dense(id, [1, 1, 1, 1]), metadataJson: JSON.stringify({ content }) })),
  );
  const reads: number[] = [];
  const store: VectorReader = Object.assign(Object.create(index), {
    fetch: (...call: Parameters<VectorReader['fetch']>) => {
      reads.push(call[1].length);
      return index.fetch(...call);
    },
  });
  return { from: { store, namespace: 'n' }, reads };
}

function writing(bytes: number) {
  return { items: ITEMS, write: (_: object, { id }: StoredRecord) => id.padEnd(bytes - 1, '.') };
}

it('joins the records of a fetch up to its bound, and reads no more of one beyond it', async () => {
  const { from, reads } = await countingReader();
  const whole = new AnswerText();
  assert.equal(await addRecords(whole, from, writing(1_000)), ITEMS.length);
  assert.equal(whole.bytes, ITEMS.length * 1_000 - 1);
  assert.deepEqual(reads, [8, 100, 100, 100]);
  reads.length = 0;
  await assert.rejects(
    addRecords(new AnswerText(150_000), from, writing(1_000)),
    (error) =>
      error instanceof Fault && error.condition === 'fetch-too-big' && /fewer ids/.test(error.message),
  );
  assert.deepEqual(reads, [8, 100, 100]);
});

it('reads as many records of a fetch at a time as take 16 MiB', async () => {
  const { from, reads } = await countingReader();
  await addRecords(new AnswerText(), from, { ...writing(2 ** 20), items: ITEMS.slice(0, 50) });
  assert.deepEqual(reads, [8, 16, 16, 10]);
});

it('reads few records at a time that are large, also where little of them is shown, or the first are not there', async () => {
  const { from, reads } = await countingReader('x'.repeat(2 ** 20));
  const items = ITEMS.slice(0, 30);
  await addRecords(new AnswerText(), from, { ...writing(100), items });
  assert.deepEqual(reads.splice(0), [8, 15, 7]);
  const absent = Array.from({ length: RECORDS_READ_FIRST }, (_, i) => ({ id: `absent-${i}` }));
  await addRecords(new AnswerText(), from, { ...writing(100), items: [...absent, ...items] });
  assert.deepEqual(reads, [8, 8, 15, 7]);
});
