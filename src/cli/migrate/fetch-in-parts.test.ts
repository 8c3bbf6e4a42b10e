// Fetches that a server refuses because their answer would be too large.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type ApiClient, Refusal } from '../client/api-client.ts';
import { fetchInParts } from './fetch-in-parts.ts';

const CLIENT = {} as ApiClient;
const IDS = Array.from({ length: 100 }, (_, at) => `r${at}`);

/** Answers up to so many records. */
function kindOf(recordsMax: number, status: number) {
  const asked: number[] = [];
  return {
    asked,
    fetch: async (_: ApiClient, __: string, ids: readonly string[]) => {
      asked.push(ids.length);
      if (ids.length > recordsMax)
        throw new Refusal(status, 'The response would exceed the maximum size of 4MB.');
      return { records: ids.map((id) => ({ id, body: {}, signature: id })), unreadable: ids.slice(0, 1) };
    },
  };
}

it('halves what is asked for until answers are small enough, and keeps the order', async () => {
  const kind = kindOf(30, 400);
  const { records, unreadable } = await fetchInParts(kind, CLIENT, { namespace: 'n', ids: IDS });
  assert.deepEqual(
    records.map(({ id }) => id),
    IDS,
  );
  assert.deepEqual(unreadable, ['r0', 'r25', 'r50', 'r75']);
  assert.deepEqual(kind.asked, [100, 50, 25, 25, 50, 25, 25]);
});

it('tells the refusal of a single record, and other failures at once', async () => {
  await assert.rejects(fetchInParts(kindOf(0, 413), CLIENT, { namespace: 'n', ids: IDS }), { status: 413 });
  const denied = kindOf(0, 403);
  await assert.rejects(fetchInParts(denied, CLIENT, { namespace: 'n', ids: IDS }), { status: 403 });
  assert.deepEqual(denied.asked, [100]);
});
