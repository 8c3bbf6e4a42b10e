// Guarantees of records of another database that become texts or documents.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CliProblem } from '../command.ts';
import { type Mapping, migrated } from './foreign-records.ts';

const MAPPING: Mapping = {
  target: 'documents',
  nested: 'dots',
  text: { from: 'body', to: 'chunk' },
  hasSparse: false,
  isStrict: false,
};
const RECORD = { id: 'a', values: null, fields: { _id: 'other', body: 'words', chunk: 'old', n: 1 } };

describe('a record with fields that have the names of the id and the text in the target', () => {
  it('keeps its id and its text, and counts the fields as left out', () => {
    for (const target of ['documents', 'texts'] as const) {
      const losses = {};
      const { id, body } = migrated(RECORD, { ...MAPPING, target }, losses) ?? {};
      assert.equal(id, 'a');
      assert.deepEqual(body, { _id: 'a', n: 1, chunk: 'words' });
      assert.deepEqual(losses, { twice: 2 });
    }
  });

  it('is refused where nothing may change', () => {
    assert.throws(() => migrated(RECORD, { ...MAPPING, isStrict: true }, {}), CliProblem);
  });
});
