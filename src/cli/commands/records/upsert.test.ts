// Upserts of files: which row of an id stays.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../../platform/testing/until.ts';
import { runCommand, withServer } from '../../testing/fake-server.ts';

/** As many as a batch takes. */
const BATCH = 1_000;

test('stores the last row of an id, whatever batch takes longest', async () => {
  // The first and the third batch have the same id; so have the second and the fifth.
  const rows = Array.from({ length: 5 * BATCH }, (_, at) => ({ id: `r${at}`, values: [at] }));
  for (const [first, last] of [
    [7, 2 * BATCH + 7],
    [BATCH + 3, 4 * BATCH + 3],
  ] as const)
    rows[last] = { id: `r${first}`, values: [last] };
  const stored = new Map<string, number>();
  let isFirst = true;
  let inFlight = 0;
  let inFlightMost = 0;
  await withServer(
    async (request, response) => {
      if (request.method === 'GET') {
        response.end(JSON.stringify({ name: 'films', host: `http://${request.headers.host}` }));
        return;
      }
      inFlightMost = Math.max(inFlightMost, ++inFlight);
      const text = Buffer.concat(await Array.fromAsync(request)).toString();
      const isSlow = isFirst;
      isFirst = false;
      // Only a batch that does not wait for it overtakes the first one.
      if (isSlow) {
        await until(() => inFlightMost > 1, 'another batch');
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      const { vectors } = JSON.parse(text);
      for (const { id, values } of vectors) stored.set(id, values[0]);
      inFlight--;
      response.end('{}');
    },
    async (url) => {
      const input = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
      const { code, err } = await runCommand(url, ['record', 'upsert', 'films'], input);
      assert.equal(code, 0, err);
    },
  );
  assert.deepEqual(stored, new Map(rows.map(({ id, values: [value = -1] }) => [id, value])));
  assert.ok(inFlightMost > 1);
});
