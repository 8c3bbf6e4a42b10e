// Updates of single records.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommand, withServer } from '../../testing/fake-server.ts';

test('updates a record that there is, by vectors in any form that queries take, and says where there is none', async () => {
  const updates: unknown[] = [];
  await withServer(
    async (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
      const body = Buffer.concat(await Array.fromAsync(request)).toString();
      if (pathname === '/vectors/update') updates.push(JSON.parse(body));
      const found = searchParams.get('ids') === 'a' ? { a: { id: 'a' } } : {};
      const index = { name: 'films', dimension: 2, host: `http://${request.headers.host}` };
      response.end(JSON.stringify(pathname === '/vectors/fetch' ? { vectors: found } : index));
    },
    async (url) => {
      const update = (...words: string[]) => runCommand(url, ['record', 'update', 'films', ...words]);
      for (const values of ['1,-2', '[1, -2]', '{"indices": [1], "values": [2]}', '-0.5,1'])
        assert.equal((await update('a', '--values', values)).code, 0, values);
      assert.equal((await update('a', '--metadata', '{"year": 1979}')).code, 0);
      const absent = await update('b', '--values', '1,2');
      assert.deepEqual(
        [absent.code, absent.err],
        [1, 'Index films has no record b in namespace __default__.\n'],
      );
      assert.equal((await update('a')).code, 2);
      assert.equal((await update('a', '--values', 'x')).code, 2);
    },
  );
  const of = { id: 'a', namespace: '' };
  assert.deepEqual(updates, [
    { ...of, values: [1, -2] },
    { ...of, values: [1, -2] },
    { ...of, sparseValues: { indices: [1], values: [2] } },
    { ...of, values: [-0.5, 1] },
    { ...of, setMetadata: { year: 1979 } },
  ]);
});

test('updates records whose presence cannot be told, where reads are refused', async () => {
  const [updated, fetched]: [unknown[], (string | undefined)[]] = [[], []];
  await withServer(
    async (request, response) => {
      const { pathname } = new URL(request.url ?? '', 'http://localhost');
      const body = Buffer.concat(await Array.fromAsync(request)).toString();
      if (pathname === '/vectors/update') updated.push(JSON.parse(body).id);
      const index = { name: 'films', dimension: 2, host: `http://${request.headers.host}` };
      if (pathname === '/vectors/fetch') {
        fetched.push(request.url);
        response.statusCode = 400;
      }
      response.end(JSON.stringify(index));
    },
    async (url) => {
      for (const id of ['my id', 'a']) {
        const { code, err } = await runCommand(url, ['record', 'update', 'films', id, '--values', '1,2']);
        assert.deepEqual([code, err], [0, '']);
      }
    },
  );
  assert.deepEqual(updated, ['my id', 'a']);
  assert.deepEqual(
    fetched,
    ['my+id', 'a'].map((id) => `/vectors/fetch?ids=${id}&namespace=&withoutValues=true&allowSpaces=true`),
  );
});
