// Reader threads run beside the writer, builders, consolidations and reloads: they see each record once, and never an older state than before.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { until } from '../../../../platform/testing/until.ts';
import { sampleProfile, where } from '../../../conformance/sample-data.ts';
import { startBuilder } from '../../indexing/builds/testing/build-fixture.ts';
import { ThreadBuilders } from '../../indexing/builds/thread-builders.ts';
import { openIndex } from '../../indexing/open-index.ts';
import { Random } from '../../kernels/testing/hard-vectors.ts';
import { Epochs } from '../../memory/epochs.ts';
import { effort } from '../effort.ts';
import { HardRecords } from '../hard-records.ts';
import { tempFolder } from '../temp-folder.ts';
import { assertGraphIsSound } from './check-graph.ts';
import { assertMemoryIsRecords } from './check-memory.ts';
import type { FromReading, ReadingReport, ReadingTask } from './reading-thread.ts';

const READERS = 2;
const BUILDERS = 2;
const MOVERS = 40;
const SECONDS = effort({ daily: 0.3, long: 10 });
/** Of each reader, however busy the machine is. */
const QUERIES_MIN = effort({ daily: 3, long: 200 });

for (const framesMax of [4_000, 60]) {
  it(`answers without duplicates, gaps or older states of records, in arenas of ${framesMax} frames`, async (test) => {
    const profile = sampleProfile({ metric: 'euclidean', dimension: 48 });
    const folder = tempFolder(test);
    const epochs = Epochs.allocate(READERS);
    const ports: MessagePort[] = [];
    const builders = new ThreadBuilders(BUILDERS, () => {});
    const deaths: number[] = [];
    const threads = await Promise.all(
      Array.from({ length: BUILDERS }, (_, number) =>
        startBuilder(builders, { number, onDeath: () => deaths.push(number) }),
      ),
    );
    const index = openIndex(profile, folder, {
      epochs: new Epochs(epochs),
      announce: (delta) => {
        for (const port of ports) port.postMessage(delta);
      },
      builders,
      framesMax,
      saveIdleMs: 50,
      maintenanceLimits: { graphRecordsMin: 500, unindexedSlotsMin: 64 },
    });
    const records = new HardRecords(profile, 3);
    const random = new Random(8);
    const count = framesMax < 1_000 ? 16_000 : 4_000;
    for (let first = 0; first < count; first += 2_000)
      await index.writer.upsert('', records.records(first, 2_000));
    let version = 0;
    const mover = (i: number) => ({
      ...records.record(`m${i}`),
      metadataJson: JSON.stringify({ mover: true, version: ++version }),
    });
    await index.writer.upsert(
      '',
      Array.from({ length: MOVERS }, (_, i) => mover(i)),
    );
    index.loaded.load(1, null);
    await index.loaded.settled();
    const stop = new SharedArrayBuffer(4 * (1 + READERS));
    const fewestQueries = () => Math.min(...new Int32Array(stop).subarray(1));
    const reports: Promise<ReadingReport>[] = [];
    for (let reader = 0; reader < READERS; reader++) {
      const { port1, port2 } = new MessageChannel();
      const filter = where('mover', { op: 'in', values: [true] });
      const task: ReadingTask = {
        profile,
        folder,
        port: port2,
        attachment: index.attachment(),
        epochs,
        reader,
        filter,
        matching: MOVERS,
        prefix: 'm',
        stop,
      };
      ports.push(port1);
      const worker = new Worker(new URL('./reading-thread.ts', import.meta.url), {
        workerData: task,
        transferList: [port2],
      });
      reports.push(
        new Promise((resolve, reject) => {
          worker.on('error', reject);
          port1.on('message', (message: FromReading) => {
            if (message.kind === 'report') resolve(message.report);
            else index.loaded.load(message.namespaceId, message.filterable);
          });
        }),
      );
    }
    await until(() => fewestQueries() > 0, 'the readers');
    const end = performance.now() + SECONDS * 1_000;
    let [segments, evicted] = [0, 0];
    while (performance.now() < end || fewestQueries() < QUERIES_MIN) {
      const many = 1 + random.integer(MOVERS);
      const first = random.integer(MOVERS);
      const batch = Array.from({ length: many }, (_, i) => (first + i) % MOVERS);
      const some = () => Array.from({ length: 50 }, () => `r${random.integer(count)}`);
      await Promise.all([
        index.writer.upsert('', batch.map(mover)),
        index.writer.deleteIds('', some()),
        index.writer.upsert(
          '',
          [...new Set(some())].map((id) => records.record(id)),
        ),
        index.writer.update('', {
          id: `m${first}`,
          values: null,
          sparse: null,
          setMetadata: { version: ++version },
        }),
      ]);
      segments = Math.max(segments, index.loaded.segments().length);
      // As when another index wants the memory.
      if (random.integer(12) === 0) await index.loaded.settled();
      if (index.loaded.lastUsed < Infinity && random.integer(2) === 0) {
        index.memory.empty();
        evicted++;
      }
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    Atomics.store(new Int32Array(stop), 0, 1);
    const shown = await Promise.all(reports);
    test.diagnostic(
      `${segments} segments, evicted ${evicted} times, ${shown.map(({ queries }) => queries)} queries, version ${version}`,
    );
    index.loaded.load(1, null);
    await index.loaded.settled();
    assertMemoryIsRecords(index);
    for (const segment of index.loaded.segments()) assertGraphIsSound(segment);
    for (const port of ports) port.close();
    await index.close();
    builders.close();
    await Promise.all(threads.map((thread) => thread.close()));
    assert.deepEqual(
      shown.flatMap(({ problems }) => problems),
      [],
    );
    assert.deepEqual(deaths, []);
  });
}
