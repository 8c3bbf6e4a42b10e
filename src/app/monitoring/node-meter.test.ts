// Moves are counted once, when they have ended for good.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NodeMeter } from './node-meter.ts';

test('counts the ends of moves of indexes and assistants, and of no other jobs', () => {
  const meter = new NodeMeter();
  for (const kind of ['index-move', 'assistant-move', 'import']) meter.jobEnded({ kind }, 'completed');
  meter.jobEnded({ kind: 'index-move' }, 'failed');
  assert.deepEqual(meter.counts.moves, [
    { outcome: 'completed', count: 2 },
    { outcome: 'failed', count: 1 },
  ]);
});
