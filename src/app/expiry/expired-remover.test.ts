// Removes expired records as the setting says while it works: one that was ended or corrected removes nothing more.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SAMPLE_INDEX } from '../../catalog/conformance/conformance-suite.ts';
import type { Index } from '../../domain/index-model.ts';
import { ExpiredRemover } from './expired-remover.ts';

const index = (field: string | null): Index => ({
  ...SAMPLE_INDEX,
  embed: null,
  ...(field !== null && { timeToLive: { field, seconds: null, namespaces: {} } }),
});

/** An index whose setting is another one after the first step. */
function setUp(first: string | null, then: string | null | 'deleted') {
  const fields: (string | null)[] = [];
  let indexes: readonly Index[] = [index(first)];
  const remover = new ExpiredRemover({
    indexes: () => indexes,
    engine: {
      writer: () =>
        ({
          removeExpired: async ({ field }: { readonly field: string | null }) => {
            fields.push(field);
            indexes = then === 'deleted' ? [] : [index(then)];
            return { removed: 500, isDone: fields.length === 4, oldest: 1 };
          },
        }) as never,
    },
    onFailure: (error) => assert.fail(String(error)),
    pauseMs: 0,
  });
  return { remover, fields };
}

it('goes on in steps while the setting stays', async () => {
  const { remover, fields } = setUp('at', 'at');
  await remover.look();
  assert.deepEqual(fields, ['at', 'at', 'at', 'at']);
});

for (const [what, then] of [
  ['ended', null],
  ['corrected', 'expires_at'],
  ['gone with its index', 'deleted'],
] as const)
  it(`stops after the step under way when the setting is ${what}`, async () => {
    const { remover, fields } = setUp('created_at', then);
    await remover.look();
    assert.deepEqual(fields, ['created_at']);
    await remover.look();
    if (then !== 'deleted') assert.equal(fields[1], then);
  });
