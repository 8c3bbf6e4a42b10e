// A fetch by ids has no pages, so it has a bound: what does not fit is refused before all of it is read.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { StoredRecord, VectorReader } from '../../../app/records/record-access.ts';
import { Fault } from '../../../domain/faults.ts';
import { AnswerText } from '../../../domain/records/answer-text.ts';
import { dense, sampleProfile } from '../../../engine/conformance/sample-data.ts';
import { ReferenceIndex } from '../../../engine/reference/reference-index.ts';
import { addRecords, RECORDS_READ_MAX } from './bounded-records.ts';

const ITEMS = Array.from({ length: 3 * RECORDS_READ_MAX }, (_, i) => ({ id: `r${i}` }));
const BYTES = 1_000;

it('joins the records of a fetch up to its bound, and reads no more of one beyond it', async () => {
  const index = new ReferenceIndex(sampleProfile());
  await index.upsert(
    'n',
    ITEMS.map(({ id }) => dense(id, [1, 1, 1, 1])),
  );
  let batches = 0;
  const store: VectorReader = Object.assign(Object.create(index), {
    fetch: (...call: Parameters<VectorReader['fetch']>) => {
      batches += 1;
      return index.fetch(...call);
    },
  });
  const write = (_: object, { id }: StoredRecord) => id.padEnd(BYTES - 1, '.');
  const whole = new AnswerText();
  const all = { items: ITEMS, write };
  assert.equal(await addRecords(whole, { store, namespace: 'n' }, all), ITEMS.length);
  assert.equal(whole.bytes, ITEMS.length * BYTES - 1);
  assert.equal(batches, 3);
  const bytesMax = 1.5 * RECORDS_READ_MAX * BYTES;
  await assert.rejects(
    addRecords(new AnswerText(), { store, namespace: 'n', bytesMax }, all),
    (error) =>
      error instanceof Fault && error.condition === 'fetch-too-big' && /fewer ids/.test(error.message),
  );
  assert.equal(batches, 3 + 2);
});
