// Guarantees of paging tokens: they continue the listing they came from and no other.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Fault } from '../../../domain/faults.ts';
import { readPagingToken, writePagingToken } from './paging-token.ts';

const name = fc.string({ unit: 'binary-ascii', maxLength: 512 });
const OPTIONS = { seed: 5, numRuns: 500 };
const refused = (error: unknown) => error instanceof Fault && error.status === 400;

describe('reading a paging token', () => {
  it('returns the name it was made for', () => {
    fc.assert(
      fc.property(name, fc.array(fc.string()), (after, scope) => {
        assert.equal(readPagingToken(writePagingToken(after, scope), scope), after);
      }),
      OPTIONS,
    );
    assert.equal(readPagingToken(undefined, []), null);
    assert.equal(readPagingToken('', []), null);
  });

  it('refuses the token of another listing', () => {
    const token = writePagingToken('a', ['list', 'ns', 'pre']);
    for (const scope of [['list', 'ns', ''], ['list', 'nsp', 're'], ['fetch', 'ns', 'pre'], []]) {
      assert.throws(() => readPagingToken(token, scope), refused);
    }
  });

  it('refuses a token with any character changed, removed or added', () => {
    const token = writePagingToken('record#12', ['list']);
    for (let i = 0; i < token.length; i++) {
      const other = token[i] === 'A' ? 'B' : 'A';
      assert.throws(() => readPagingToken(token.slice(0, i) + other + token.slice(i + 1), ['list']), refused);
    }
    for (const bad of [
      token.slice(0, -1),
      `${token}A`,
      `${token}=`,
      `${token} `,
      'x',
      '{}',
      'ü'.repeat(5000),
    ]) {
      assert.throws(() => readPagingToken(bad, ['list']), refused);
    }
  });
});
