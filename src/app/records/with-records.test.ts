// Records read after the search: what an answer shows passes the filter of the request, whatever is written meanwhile.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseFilter } from '../../domain/filter/parse-filter.ts';
import { dense, sampleProfile } from '../../engine/conformance/sample-data.ts';
import { ReferenceEngine } from '../../engine/reference/reference-engine.ts';
import { withRecords } from './with-records.ts';

it('shows no record that a write has taken out of the filter since the search', async () => {
  const engine = new ReferenceEngine();
  const profile = sampleProfile();
  await engine.createIndex(profile);
  const [reader, writer] = [engine.reader(profile), engine.writer(profile)];
  await writer.upsert('', [
    dense('kept', [1, 0, 0, 0], { tenant: 'a' }),
    dense('moved', [1, 0, 0, 0], { tenant: 'a' }),
    dense('gone', [1, 0, 0, 0], { tenant: 'a' }),
  ]);
  const ranked = ['moved', 'gone', 'kept'].map((id, at) => ({ id, score: 1 - at / 10 }));
  await writer.upsert('', [dense('moved', [1, 0, 0, 0], { tenant: 'b' })]);
  await writer.deleteIds('', ['gone']);
  const parts = { namespace: '', includeValues: false, includeMetadata: true };
  const shown = async (filter: ReturnType<typeof parseFilter> | null) =>
    (await withRecords(reader, ranked, { ...parts, filter })).map(({ id }) => id);
  assert.deepEqual(await shown(parseFilter({ tenant: 'a' })), ['kept']);
  assert.deepEqual(await shown(null), ['moved', 'kept']);
});
