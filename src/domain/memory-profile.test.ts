// The memory profile in force, wherever an index got its own from.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { profileInForce } from './memory-profile.ts';

it("is the index's own before the server's default, and memory where dimensions are few or none", () => {
  for (const [dimension, memoryProfile, preset, expected] of [
    [128, undefined, 'disk', 'disk'],
    [128, undefined, 'memory', 'memory'],
    [128, 'memory', 'disk', 'memory'],
    [128, 'disk', 'memory', 'disk'],
    [127, 'disk', 'memory', 'memory'],
    [127, undefined, 'disk', 'memory'],
    [null, 'disk', 'disk', 'memory'],
  ] as const) {
    const index = memoryProfile === undefined ? { dimension } : { dimension, memoryProfile };
    assert.equal(profileInForce(index, preset), expected, JSON.stringify([index, preset]));
  }
});
