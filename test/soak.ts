// The soak of the real program: minutes of mixed writes and reads, restarts and kills, held against a naive model; memory
// must stay flat. Run it by `npm run test:soak`; PINYON_SOAK_MINUTES says how long.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { call } from './support/call.ts';
import { clusteredVectors } from './support/clusters.ts';
import { damageOne } from './support/derived-files.ts';
import type { Metric } from './support/model.ts';
import { Random } from './support/random.ts';
import { API_KEY, type Service, startService } from './support/service.ts';
import { SoakSpace } from './support/soak-space.ts';

const MINUTES = Number(process.env.PINYON_SOAK_MINUTES ?? 5);
const SEED = Number(process.env.PINYON_SOAK_SEED ?? 30);
/** The rest of the time belongs to one run of the program, in which memory is watched. 0 for one run alone. */
const RESTARTS_SHARE = Number(process.env.PINYON_SOAK_RESTARTS_SHARE ?? 0.6);
/** Of resident memory once every index is deleted, against that of a server that has just started. */
const LEFT_MAX = 1.3;
const LEFT_AFTER_MS = 30_000;
const RESIDENT = 'process_resident_memory_bytes';
const ROUND_MS_MAX = 15_000;
const SAMPLE_MS = 2_000;
/** Of the second half of that run against the first. Dead slots wait until they are half of all, so peaks differ. */
const GROWTH_MAX: Readonly<Record<string, number>> = {
  [RESIDENT]: 1.2,
  pinyon_memory_bytes: 1.5,
};

const SPACES: readonly {
  readonly index: string;
  readonly metric: Metric;
  readonly dimension: number | null;
  readonly name: string;
  readonly ids: number;
  readonly hasSparse?: boolean;
}[] = [
  { index: 'dense', metric: 'cosine', dimension: 32, name: 'large', ids: 14_000 },
  { index: 'dense', metric: 'cosine', dimension: 32, name: 'middle', ids: 2_000 },
  { index: 'dense', metric: 'cosine', dimension: 32, name: 'small', ids: 200 },
  { index: 'hybrid', metric: 'dotproduct', dimension: 24, name: 'mixed', ids: 2_500, hasSparse: true },
  { index: 'sparse', metric: 'dotproduct', dimension: null, name: 'words', ids: 2_500 },
];

describe('a soak of the real program', () => {
  const random = new Random(SEED);
  const spaces: SoakSpace[] = [];
  let service: Service;
  let residentAtStart = 0;
  before(async () => {
    service = await startService();
    residentAtStart = (await figures())[RESIDENT] ?? 0;
    const hosts = new Map<string, string>();
    for (const { index, metric, dimension, ...facts } of SPACES) {
      const body = dimension === null ? { metric, vector_type: 'sparse' } : { metric, dimension };
      const host = hosts.get(index) ?? (await service.createIndex({ name: index, ...body }));
      hosts.set(index, host);
      const values = dimension === null ? null : clusteredVectors(random, dimension);
      const own = { host, metric, random, values, namespace: facts.name, mayDeleteAll: facts.ids < 10_000 };
      spaces.push(new SoakSpace({ ...own, ...facts }));
    }
    await Promise.all(spaces.map((space) => space.fill()));
  });
  after(() => service.dispose());

  it('never diverges from the model, and keeps its memory flat', {
    timeout: (MINUTES + 5) * 60_000,
  }, async (context) => {
    const began = performance.now();
    const total = MINUTES * 60_000;
    const counts = { kills: 0, restarts: 0, damaged: 0 };
    while (performance.now() - began < total * RESTARTS_SHARE) {
      if (await round()) counts.kills++;
      else counts.restarts++;
      if (random.below(3) === 0 && damageOne(service.dataDir, random) !== null) counts.damaged++;
      await service.start();
      for (const space of spaces) await space.compare();
    }
    const samples = await watched(began + total);
    for (const space of spaces) await space.compare();
    const writes = spaces.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
    context.diagnostic(
      `${writes} writes, ${counts.kills} kills, ${counts.restarts} restarts, ${counts.damaged} damaged files`,
    );
    for (const [i, { recall }] of spaces.entries()) {
      context.diagnostic(`${SPACES[i]?.name}: ${recall.answers} queries, recall ${recall.share.toFixed(4)}`);
      recall.assertPromised();
    }
    for (const [name, growthMax] of Object.entries(GROWTH_MAX)) {
      const [first, second] = halves(samples.map((sample) => sample[name] ?? 0));
      context.diagnostic(`${name}: at most ${first} in the first half, ${second} in the second`);
      assert.ok(second <= first * growthMax, `${name}: ${first}, then ${second}`);
    }
    const left = await residentWhenEmpty();
    context.diagnostic(`${RESIDENT}: ${residentAtStart} at the start, ${left} with every index deleted`);
    assert.ok(left <= residentAtStart * LEFT_MAX, `${residentAtStart} at the start, ${left} at the end`);
  });

  async function residentWhenEmpty(): Promise<number> {
    for (const name of new Set(SPACES.map(({ index }) => index)))
      await service.call('DELETE', `/indexes/${name}`);
    await sleep(LEFT_AFTER_MS);
    return (await figures())[RESIDENT] ?? 0;
  }

  /** Works for a while, then ends the program. @returns true when it was killed */
  async function round(): Promise<boolean> {
    const end = performance.now() + random.below(ROUND_MS_MAX);
    const isKill = random.below(3) > 0;
    let isOver = false;
    const work = Promise.all(spaces.map((space) => space.run(() => isOver)));
    await Promise.race([work, sleep(end - performance.now())]);
    if (!isKill) {
      isOver = true;
      await work;
    }
    await Promise.all([isKill ? service.kill() : service.stop(), work]);
    return isKill;
  }

  /** Works until `end`, sampling memory once everything has been used for a while. */
  async function watched(end: number): Promise<readonly Readonly<Record<string, number>>[]> {
    const samples: Readonly<Record<string, number>>[] = [];
    const isOver = () => performance.now() > end;
    const sampling = (async () => {
      while (!isOver()) {
        await sleep(SAMPLE_MS);
        samples.push(await figures());
      }
    })();
    await Promise.all([sampling, ...spaces.map((space) => space.run(isOver))]);
    // The first fifth fills memory; what comes then has to stay.
    return samples.slice(Math.floor(samples.length / 5));
  }

  /** Metrics of the program, each summed over its labels. */
  async function figures(): Promise<Readonly<Record<string, number>>> {
    const { text } = await call(service.url, 'GET', '/metrics', {
      headers: { authorization: `Bearer ${API_KEY}` },
    });
    const sums: Record<string, number> = {};
    for (const line of text.split('\n')) {
      const name = /^[a-z_]+/.exec(line)?.[0];
      if (name !== undefined) sums[name] = (sums[name] ?? 0) + Number(line.slice(line.lastIndexOf(' ') + 1));
    }
    return sums;
  }
});

function halves(values: readonly number[]): readonly [number, number] {
  const middle = Math.floor(values.length / 2);
  return [Math.max(...values.slice(0, middle)), Math.max(...values.slice(middle))];
}
