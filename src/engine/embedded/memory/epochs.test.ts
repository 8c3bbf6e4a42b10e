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
