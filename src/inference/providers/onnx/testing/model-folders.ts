// Folders with tiny models, for the tests of one file.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { writeTinyModel } from './tiny-models.ts';

/** Removed after the tests. */
export const root = mkdtempSync(join(tmpdir(), 'pinyon-onnx-'));
after(() => rmSync(root, { recursive: true, force: true }));

/** Of calls that nobody cancels. */
export const never = new AbortController().signal;
let folders = 0;

/** Writes a model into a folder of its own. @returns the folder */
export function folderWith(
  graph: Parameters<typeof writeTinyModel>[1],
  manifest: Readonly<Record<string, unknown>>,
): string {
  folders++;
  const folder = join(root, `model-${folders}`);
  writeTinyModel(folder, graph, manifest);
  return folder;
}

/** Asserts that numbers are as expected, within what float32 loses. */
export function assertClose(actual: Iterable<number>, expected: readonly number[]): void {
  const numbers = [...actual];
  assert.equal(numbers.length, expected.length);
  for (const [at, value] of numbers.entries()) assert.ok(Math.abs(value - (expected[at] ?? 0)) < 1e-5);
}
