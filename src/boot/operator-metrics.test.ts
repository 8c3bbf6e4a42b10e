// Guarantees of what the operator's metrics read of the machine.
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { operatorMetrics } from './operator-metrics.ts';

function read(dataDir: string) {
  const { read } = operatorMetrics(
    { metricsKey: null, dataDir },
    {
      newestBackups: async () => [],
      archiveScrub: async () => ({ bytes: 1, finishedAt: null }),
      recovery: () => null,
      release: '1.2.3',
      models: { all: () => [] },
      node: () => null,
      isWatched: false,
    },
  );
  return read();
}

test('reads the room on the disk of the data directory', async () => {
  const { disk } = await read(tmpdir());
  assert.ok(disk !== null && disk.sizeBytes > 0 && disk.freeBytes <= disk.sizeBytes);
});

test('reads everything else while the data directory is away', async () => {
  const { disk, release } = await read(join(tmpdir(), 'pinyon-that-is-not-there'));
  assert.equal(disk, null);
  assert.equal(release, '1.2.3');
});
