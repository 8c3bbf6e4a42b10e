// Parameter blocks: fields arrive at their offsets, also in memory that another thread has grown.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blockWriter, f32, f64, u32, viewOf } from './parameter-block.ts';

const PAGE_BYTES = 65_536;
const FIELDS = { slots: u32(0), least: u32(4), share: f32(8), unit: f64(16) };

test('writes each field at its offset, signed integers included', () => {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  blockWriter(viewOf(memory), FIELDS)(64, { slots: 4_000_000_000, least: -5, share: 0.5, unit: 1e-300 });
  const view = new DataView(memory.buffer, 64);
  assert.equal(view.getUint32(0, true), 4_000_000_000);
  assert.equal(view.getInt32(4, true), -5);
  assert.equal(view.getFloat32(8, true), 0.5);
  assert.equal(view.getFloat64(16, true), 1e-300);
});

test('writes into memory that has grown since it was first viewed', () => {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 2, shared: true });
  const write = blockWriter(viewOf(memory), FIELDS);
  memory.grow(1);
  write(PAGE_BYTES, { slots: 7, least: 0, share: 0, unit: 0 });
  assert.equal(new Uint32Array(memory.buffer)[PAGE_BYTES / 4], 7);
});
