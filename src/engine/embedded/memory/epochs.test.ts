// Epochs delay reuse while a reader that started earlier is running.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Epochs } from './epochs.ts';

function twoSides(readers: number): { writer: Epochs; reader: Epochs } {
  const shared = Epochs.allocate(readers);
  return { writer: new Epochs(shared), reader: new Epochs(shared) };
}

it('allows reuse at once while no reader is pinned', () => {
  const { writer } = twoSides(3);
  assert.ok(writer.advance() <= writer.oldestPinned());
});

it('delays only the reuse of what was retired after a pinned reader started', () => {
  const { writer, reader } = twoSides(2);
  const before = writer.advance();
  reader.pin(1);
  const after = writer.advance();
  assert.ok(before <= writer.oldestPinned());
  assert.ok(after > writer.oldestPinned());
  reader.unpin(1);
  assert.ok(after <= writer.oldestPinned());
});

it('follows the oldest of several pinned readers', () => {
  const { writer, reader } = twoSides(3);
  reader.pin(0);
  const first = writer.advance();
  reader.pin(2);
  const second = writer.advance();
  assert.ok(first > writer.oldestPinned());
  reader.unpin(0);
  assert.ok(first <= writer.oldestPinned());
  assert.ok(second > writer.oldestPinned());
  reader.pin(2);
  assert.ok(second <= writer.oldestPinned(), 'pinning again starts anew');
});

it('keeps rows that are held, whatever is pinned and unpinned meanwhile, and no memory', () => {
  const { writer, reader } = twoSides(2);
  const before = writer.advance();
  const endFirst = reader.holdRows(0);
  const first = writer.advance();
  const endSecond = reader.holdRows(0);
  const second = writer.advance();
  reader.pin(0);
  const third = writer.advance();
  assert.ok(before <= writer.oldestPinnedOrHeld() && first > writer.oldestPinnedOrHeld());
  assert.ok(second <= writer.oldestPinned() && third > writer.oldestPinned());
  reader.unpin(0);
  assert.ok(third <= writer.oldestPinned());
  assert.ok(first > writer.oldestPinnedOrHeld());
  endFirst();
  assert.ok(first <= writer.oldestPinnedOrHeld() && second > writer.oldestPinnedOrHeld());
  endSecond();
  assert.ok(third <= writer.oldestPinnedOrHeld());
  reader.pin(0);
  const fourth = writer.advance();
  assert.ok(third <= writer.oldestPinnedOrHeld() && fourth > writer.oldestPinnedOrHeld());
  reader.unpin(0);
  assert.ok(fourth <= writer.oldestPinnedOrHeld());
});

it('forgets what a reader has pinned and held that has died', () => {
  const { writer, reader } = twoSides(2);
  reader.pin(1);
  reader.holdRows(1);
  const after = writer.advance();
  writer.forget(0);
  assert.ok(after > writer.oldestPinned() && after > writer.oldestPinnedOrHeld());
  writer.forget(1);
  assert.ok(after <= writer.oldestPinned() && after <= writer.oldestPinnedOrHeld());
});

it('delays reuse for as long as it takes, beyond 31 and 32 bits of epochs, too', () => {
  for (const bits of [31n, 32n]) {
    const shared = Epochs.allocate(1);
    new BigInt64Array(shared)[0] = 2n ** bits - 2n;
    const [writer, reader] = [new Epochs(shared), new Epochs(shared)];
    const before = writer.advance();
    reader.pin(0);
    const after = Array.from({ length: 4 }, () => writer.advance());
    assert.equal(after[3], Number(2n ** bits + 3n));
    assert.ok(before <= writer.oldestPinned());
    for (const epoch of after) assert.ok(epoch > writer.oldestPinned());
    reader.unpin(0);
    for (const epoch of after) assert.ok(epoch <= writer.oldestPinned());
  }
});
