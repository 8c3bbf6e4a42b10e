// Guarantees of records that can only be searched for, since their ids have spaces.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiClient, Refusal } from '../client/api-client.ts';
import { vectorKind } from './vector-kind.ts';

const ID = 'an id';

/** A server with so many records before the one with the id, which answers up to so many matches. */
function serverOf({ before = 0, matchesMax = 1_000, has = true, status = 400 }) {
  const asked: number[] = [];
  const call = async (_: string, __: string, { body }: { readonly body: { readonly topK: number } }) => {
    const { topK } = body;
    asked.push(topK);
    if (topK > matchesMax) throw new Refusal(status, 'The response would exceed the maximum size of 4MB.');
    const ids = has ? [...Array.from({ length: before }, (_, at) => `r${at}`), ID] : [];
    return { matches: ids.slice(0, topK).map((id) => ({ id, values: [1] })) };
  };
  const client = { call } as unknown as ApiClient;
  return { asked, fetch: () => vectorKind.fetch(client, 'n', [ID]) };
}

describe('a record whose id has a space', () => {
  it('is found by as few matches as it takes', async () => {
    for (const [before, expected] of [
      [0, [1]],
      [9, [1, 10]],
      [999, [1, 10, 100, 1_000]],
    ] as const) {
      const server = serverOf({ before });
      const { records, unreadable } = await server.fetch();
      assert.deepEqual([records.map(({ id }) => id), unreadable], [[ID], []]);
      assert.deepEqual(server.asked, expected);
    }
  });

  it('is named as unreadable where too many others rank before it, or the answer would be too large', async () => {
    for (const server of [serverOf({ before: 1_000 }), serverOf({ before: 50, matchesMax: 10 })])
      assert.deepEqual(await server.fetch(), { records: [], unreadable: [ID] });
  });

  it('counts as deleted where the search has no match at all', async () => {
    assert.deepEqual(await serverOf({ has: false }).fetch(), { records: [], unreadable: [] });
  });

  it('is not given up for any other refusal', async () => {
    await assert.rejects(serverOf({ matchesMax: 0, status: 403 }).fetch(), { status: 403 });
  });
});
