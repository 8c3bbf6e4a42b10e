// Copies between the two sets of vectors of an index: namespaces are as they were, not only their records.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SAMPLE_INDEX } from '../../catalog/conformance/conformance-suite.ts';
import { type Index, profileOf } from '../../domain/index-model.ts';
import { unpackRecords } from '../../engine/port/packed-records.ts';
import { ReferenceEngine } from '../../engine/reference/reference-engine.ts';
import { testInference } from '../../inference/testing/test-inference.ts';
import { StandbyCopier } from './standby-copier.ts';

const ACTIVE: Index = { ...SAMPLE_INDEX, port: null, embed: null, dimension: 2 };
const STANDBY: Index = { ...ACTIVE, storageId: 'standby' };
const RECORD = { id: 'a', values: Float32Array.of(1, 0), sparse: null, metadataJson: null };

/** An index with one namespace that was created by name and one that its records created. */
async function fixture() {
  const engine = new ReferenceEngine();
  for (const index of [ACTIVE, STANDBY]) await engine.createIndex(profileOf(index));
  const writer = engine.writer(profileOf(ACTIVE));
  await writer.createNamespace('created', null);
  for (const name of ['created', 'upserted']) await writer.upsert(name, [RECORD]);
  const copier = new StandbyCopier({
    ...{ engine, active: ACTIVE, standby: STANDBY },
    ...{ inference: testInference(), signal: new AbortController().signal },
  });
  return { engine, copier };
}

/** The namespaces that are left among the other vectors when their records are deleted. */
async function leftWithoutRecords(engine: ReferenceEngine): Promise<readonly string[]> {
  const writer = engine.writer(profileOf(STANDBY));
  for (const name of ['created', 'upserted']) await writer.deleteIds(name, ['a']);
  const all = { prefix: '', limit: 9, after: null };
  return (await engine.reader(profileOf(STANDBY)).listNamespaces(all)).items.map(({ name }) => name);
}

describe('copies of namespaces to other vectors', () => {
  test('stay without records where those that they are made from do', async () => {
    const { engine, copier } = await fixture();
    const reading = await engine.copies(profileOf(ACTIVE)).read();
    for await (const { namespace, records } of reading.batches)
      await copier.copy(namespace, unpackRecords(records));
    assert.deepEqual(await leftWithoutRecords(engine), ['created']);
  });

  test('stay without records when they follow a change', async () => {
    const { engine, copier } = await fixture();
    await copier.follow(['created', 'upserted'].map((namespace) => ({ namespace, id: null, lsn: 1 })));
    assert.deepEqual(await leftWithoutRecords(engine), ['created']);
  });
});
