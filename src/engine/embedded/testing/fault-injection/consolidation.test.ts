// Graphs stay sound and accurate over many rounds of changes.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Metric } from '../../../../domain/index-model.ts';
import { ReferenceIndex } from '../../../reference/reference-index.ts';
import { assertSound, recallAt10 } from '../../kernels/testing/graph-checks.ts';
import { GraphFixture } from '../../kernels/testing/graph-fixture.ts';
import { hardVectors, Random } from '../../kernels/testing/hard-vectors.ts';
import { effort } from '../effort.ts';
import { assertRecall } from '../recall.ts';
import { assertGraphIsSound } from './check-graph.ts';
import { assertMemoryIsRecords } from './check-memory.ts';
import { crashFixture, FILTERS, load, onlySegment } from './fixture.ts';

const ROUNDS = effort({ daily: 2, long: 12 });

for (const metric of ['cosine', 'euclidean', 'dotproduct'] as Metric[]) {
  it(`keeps a ${metric} graph sound and accurate while a quarter of it is replaced over and over`, () => {
    const random = new Random(5);
    const next = hardVectors(random, { dim: 32, latentDim: 24, clusters: 40 });
    const scale = () => (metric === 'cosine' ? 1 : Math.exp(0.5 * random.normal()));
    const vector = () => {
      const norm = scale();
      return next().map((value) => value * norm);
    };
    const share = 750;
    const slots = 3_000 + ROUNDS * share;
    const rows = Array.from({ length: slots }, vector);
    const alpha = metric === 'dotproduct' ? 2 : 1.2;
    const make = () =>
      new GraphFixture({ build: 'plain', metric, rows, maxDegree: 48, prunedDegree: 36, alpha });
    const old = make();
    const live = new Set(Array.from({ length: 3_000 }, (_, slot) => slot));
    old.insert(0, 3_000);
    let first = 3_000;
    for (let round = 0; round < ROUNDS; round++) {
      const victims = [...live].filter(() => random.uniform() < share / live.size);
      for (const slot of victims) live.delete(slot);
      old.setBits(old.layout.live, (slot) => live.has(slot) || slot >= first);
      old.removeDeleted();
      old.insert(first, first + share);
      for (let slot = first; slot < first + share; slot++) live.add(slot);
      first += share;
    }
    const isLive = (slot: number) => live.has(slot);
    assertSound(old, { maxDegree: 48, isLive });
    const fresh = make();
    for (const slot of live) fresh.insert(slot, slot + 1);
    const queries = Array.from({ length: 100 }, vector);
    const recalls = [old, fresh].map((graph) => recallAt10(graph, queries, { ef: 60, isMatch: isLive }));
    const [worn = 0, good = 0] = recalls;
    assert.ok(worn >= good - 0.01, `recall ${worn} after ${ROUNDS} rounds, ${good} of a new graph`);
  });
}

it('keeps graph, memory and answers correct while all records are replaced at once', async (test) => {
  const { profile, records, open } = crashFixture(test);
  const model = new ReferenceIndex(profile);
  const first = open();
  const sides = [first.index.writer, model];
  for (let round = 0; round < effort({ daily: 2, long: 5 }); round++) {
    const batch = records.records(0, 2_000);
    for (const side of sides) await side.upsert('', batch);
    await load(first, records);
    await first.index.parts.loaded.settled();
    assertGraphIsSound(onlySegment(first));
    assertMemoryIsRecords(first.index.parts, FILTERS);
    const queries = Array.from({ length: 20 }, () => records.query());
    await assertRecall({ actual: first.index.reader, model }, queries);
  }
});
