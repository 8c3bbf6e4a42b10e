import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Cells } from './cells.ts';
import { inOrder, takeTurns } from './turns.ts';

test('gives each contender every position equally often, after each of two others equally often', () => {
  const rounds = Array.from({ length: 6 }, (_, round) => inOrder(['a', 'b', 'c'], round).join(''));
  for (const place of [0, 1, 2])
    assert.deepEqual(rounds.map((order) => order[place]).sort(), ['a', 'a', 'b', 'b', 'c', 'c']);
  for (const pair of ['ab', 'ba', 'bc', 'cb', 'ca', 'ac'])
    assert.equal(rounds.filter((order) => order.includes(pair)).length, 2);
});

test('keeps the ratio while the machine becomes slower from round to round', async (t) => {
  const measure = async (speed: number, round: number) => speed / (round + 2);
  const turns = await takeTurns([300, 200], { ...plan(t, 9), measure });
  const { median, low, high } = turns.ratio('300', '200', (qps) => qps);
  assert.deepEqual([median, low, high], [1.5, 1.5, 1.5]);
  assert.equal(turns.spread('300', (qps) => qps).rounds, 9);
});

test('rounds measured before are not measured again, and what is new is warmed up first', async (t) => {
  const measured: string[] = [];
  const options = plan(t, 2);
  const measure = async (one: number, round: number) => {
    measured.push(`${one} in ${round}`);
    return one;
  };
  await takeTurns([7, 8], { ...options, measure });
  await takeTurns([7, 8], { ...options, measure, rounds: 3 });
  await takeTurns([7, 8], { ...options, measure, rounds: 3 });
  const first = ['7 in -1', '8 in -1', '7 in 0', '8 in 0', '8 in 1', '7 in 1'];
  assert.deepEqual(measured, [...first, '7 in -1', '8 in -1', '8 in 2', '7 in 2']);
});

function plan(t: TestContext, rounds: number) {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-turns-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const cells = Cells.open(join(folder, 'cells.json'), { facts: null, resume: false });
  return { name: 'test', cells, rounds, keyOf: String };
}
