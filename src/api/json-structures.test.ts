// Guarantees of the structure count: it equals what a parser would see, ignoring strings.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { JSON_DEPTH_MAX } from '../domain/limits.ts';
import { boundStructures } from './json-structures.ts';

function count(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Object.values(value).reduce((sum: number, child) => sum + count(child), 0);
}

describe('structures of a JSON text', () => {
  it('are as many as in the parsed value, with or without quotes and brackets in strings', () => {
    const text = fc.string({ unit: fc.constantFrom('[', '{', '"', '\\', 'é', '\n', 'a') });
    const json = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.integer(),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(text, tie('value'), { maxKeys: 4 }),
      ),
    })).value;
    fc.assert(
      fc.property(json, fc.constantFrom(0, 1), (value, space) => {
        const bytes = Buffer.from(JSON.stringify(value, null, space));
        const structures = count(value);
        boundStructures(bytes, structures);
        if (structures > 0)
          assert.throws(() => boundStructures(bytes, structures - 1), { condition: 'body-not-json' });
      }),
      { seed: 2 },
    );
  });

  it('may be nested to the limit, and no deeper', () => {
    const nested = (depth: number) => Buffer.from('['.repeat(depth) + ']'.repeat(depth));
    boundStructures(nested(JSON_DEPTH_MAX), 1_000);
    assert.throws(() => boundStructures(nested(JSON_DEPTH_MAX + 1), 1_000), /nested deeper/);
  });

  it('end with an unclosed text', () => {
    boundStructures(Buffer.from('["[[[[[['), 1);
    boundStructures(Buffer.from('["\\"[[['), 1);
  });
});
