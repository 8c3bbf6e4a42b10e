// Guarantees of the warnings on the console's first page: the operator hears of a lack before searches suffer from it.
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type EngineMetrics, type IndexMetrics, NO_DAMAGE } from '../engine/port/engine-metrics.ts';
import { warningsFor } from './warnings.ts';

const SETTINGS = { bind: '127.0.0.1', tlsCert: null, publicUrl: null, dataDir: tmpdir() };
const NOTHING: EngineMetrics = { indexes: [], threads: [] };
const INDEX: IndexMetrics = {
  ...{ indexId: 'i', records: 1, bytesOnDisk: 1, memory: null, structure: null, namespacesOversized: 0 },
  ...{ scrub: null, damage: NO_DAMAGE, history: null, branches: null },
};

/** The warnings about memory: the disk of the machine that runs the tests may be full, too. */
async function ofMemory(metrics: EngineMetrics): Promise<readonly string[]> {
  return (await warningsFor(SETTINGS, metrics, [])).filter((text) => /memory/.test(text));
}

test('warns when four fifths of the memory for searches are taken, and not before', async () => {
  const at = (bytesUsed: number) => ofMemory({ ...NOTHING, memory: { bytesMax: 1_000, bytesUsed } });
  assert.deepEqual(await at(799), []);
  const [text = '', ...others] = await at(800);
  assert.match(text, /^The memory .* 80 % full\. .*PINYON_MEMORY_MEBIBYTES_MAX/);
  assert.deepEqual(others, []);
});

test('says nothing of memory where the engine bounds none', async () => {
  assert.deepEqual(await ofMemory(NOTHING), []);
});

test('warns of namespaces that do not fit in memory, over all indexes', async () => {
  const metrics = (...counts: readonly (number | null)[]) =>
    ofMemory({
      ...NOTHING,
      indexes: counts.map((namespacesOversized) => ({ ...INDEX, namespacesOversized })),
    });
  assert.deepEqual(await metrics(0, null), []);
  assert.match((await metrics(0, 1))[0] ?? '', /^1 namespace does not fit/);
  assert.match((await metrics(2, null, 3))[0] ?? '', /^5 namespaces do not fit.*PINYON_MEMORY_MEBIBYTES_MAX/);
});

test('warns that the data directory is away, beside all other warnings', async () => {
  const away = { ...SETTINGS, dataDir: join(tmpdir(), 'pinyon-that-is-not-there') };
  const warnings = await warningsFor(away, NOTHING, ['a notice']);
  assert.equal(warnings.length, 2);
  assert.match(warnings[0] ?? '', /^The data directory cannot be reached/);
});

test('warns of a listener without TLS on an address that others reach, unless a proxy ends it', async () => {
  const of = async (bind: string, publicUrl: string | null = null) =>
    (await warningsFor({ ...SETTINGS, bind, publicUrl }, NOTHING, [])).join();
  assert.match(await of('0.0.0.0'), /without TLS/);
  assert.match(await of('0.0.0.0', 'http://vectors.example.org'), /without TLS/);
  assert.doesNotMatch(await of('0.0.0.0', 'https://vectors.example.org'), /TLS/);
  assert.doesNotMatch(await of('127.0.0.1'), /TLS/);
});
