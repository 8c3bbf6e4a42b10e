import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { momentOf } from './moment.ts';

describe('momentOf', () => {
  it('takes a whole second to its end, and a fraction as it is', () => {
    assert.equal(momentOf('2026-11-24T17:03:20Z'), Date.UTC(2026, 10, 24, 17, 3, 20, 999));
    assert.equal(momentOf('2026-11-24T17:03:20.5Z'), Date.UTC(2026, 10, 24, 17, 3, 20, 500));
    assert.equal(momentOf('2026-11-24T18:03:20.000+01:00'), Date.UTC(2026, 10, 24, 17, 3, 20));
  });

  it('refuses what is no moment, or has no time zone', () => {
    for (const text of ['', 'yesterday', '2026-11-24', '2026-11-24T17:03:20', '2026-13-24T17:03:20Z', 'T0Z'])
      assert.equal(momentOf(text), null, text);
  });
});
