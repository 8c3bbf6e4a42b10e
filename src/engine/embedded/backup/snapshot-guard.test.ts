// A snapshot may cost only so much, and learns when its pin has ended.
import assert from 'node:assert/strict';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { Fault } from '../../../domain/faults.ts';
import { CopyFailed } from '../../port/copy-failed.ts';
import { endPin, newPin, PinState } from '../storage/snapshot-pins.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { SnapshotGuard } from './snapshot-guard.ts';

const GIBIBYTE = 2 ** 30;

it('fails a snapshot whose old pages take more than the index and more than 1 GiB', (test) => {
  const folder = tempFolder(test);
  const path = join(folder, 'records.mdb');
  writeFileSync(path, 'x');
  const guard = new SnapshotGuard(newPin(), { folder, indexName: 'i' });
  truncateSync(path, GIBIBYTE);
  guard.assertSmall();
  truncateSync(path, GIBIBYTE + 2);
  assert.throws(() => guard.assertSmall(), { reason: 'overtaken', isPassing: true });
  truncateSync(path, 3 * GIBIBYTE);
  const large = new SnapshotGuard(newPin(), { folder, indexName: 'i' });
  truncateSync(path, 6 * GIBIBYTE);
  large.assertSmall();
  truncateSync(path, 6 * GIBIBYTE + 1);
  assert.throws(() => large.assertSmall(), CopyFailed);
});

it('accepts reads only while their rows are pinned, or after they were released', (test) => {
  const folder = tempFolder(test);
  writeFileSync(join(folder, 'records.mdb'), 'x');
  const outcomes = [
    PinState.held,
    PinState.released,
    PinState.overtaken,
    PinState.gone,
    PinState.interrupted,
  ].map((state) => {
    const word = newPin();
    const guard = new SnapshotGuard(word, { folder, indexName: 'i' });
    endPin(word, state);
    try {
      guard.assertPinned();
      return 'good';
    } catch (error) {
      return error instanceof Fault ? error.condition : error instanceof CopyFailed ? error.reason : error;
    }
  });
  assert.deepEqual(outcomes, ['good', 'good', 'overtaken', 'index-not-found', 'interrupted']);
});
