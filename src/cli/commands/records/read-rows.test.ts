// Rows of files: what the cells of CSV become.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Io } from '../../command.ts';
import { silentIo } from '../../testing/fake-server.ts';
import { rowSources } from './read-rows.ts';

test('reads cells that are JSON as such, and keeps others and whole numbers beyond 2^53 as texts', async () => {
  const cells = {
    '1979': 1979,
    '-0.5e3': -500,
    '9007199254740991': Number.MAX_SAFE_INTEGER,
    '9007199254740993': '9007199254740993',
    '-9007199254740993': '-9007199254740993',
    '1e300': 1e300,
    '1e999': '1e999',
    true: true,
    '01234': '01234',
    '[1,2]': [1, 2],
    '[deleted]': '[deleted]',
    '{x}': '{x}',
    '[1, 2': '[1, 2',
    '{"indices":[1],"values":[2]}': { indices: [1], values: [2] },
  };
  for (const [cell, value] of Object.entries(cells)) assert.deepEqual(await fieldOf(cell), value, cell);
});

async function fieldOf(cell: string): Promise<unknown> {
  const csv = `id,field\n1,"${cell.replaceAll('"', '""')}"\n`;
  const [source] = await rowSources([], { format: 'csv', names: new Map() }, ioWith(csv));
  assert.ok(source !== undefined);
  const rows = await Array.fromAsync(source.rows(() => undefined));
  assert.equal(rows.length, 1);
  assert.equal(rows[0]?.id, '1');
  return rows[0]?.field;
}

function ioWith(text: string): Io {
  return silentIo({
    input: (async function* () {
      yield Buffer.from(text);
    })(),
  });
}
