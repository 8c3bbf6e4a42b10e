// Statistics as text, from blocks of namespaces.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { statsBody, statsText } from './stats-answer.ts';

const details = { dimension: 2, totalVectorCount: 6 };

it('renders the namespaces of all blocks, and the default one by the name that the version knows', () => {
  const counts = [
    [{ name: '', recordCount: 1 }],
    [],
    [
      { name: 'a"b', recordCount: 2 },
      { name: 'c', recordCount: 3 },
    ],
  ];
  for (const isShown of [true, false, true]) {
    const answer = { counts, isShown, details };
    const first = isShown ? '__default__' : '';
    const namespaces = { [first]: { vectorCount: 1 }, 'a"b': { vectorCount: 2 }, c: { vectorCount: 3 } };
    assert.deepEqual(JSON.parse(statsText(answer)), { namespaces, ...details });
    assert.deepEqual(statsBody(answer), { namespaces, ...details });
  }
});

it('renders an index without namespaces', () => {
  for (const counts of [[], [[]]])
    assert.equal(
      statsText({ counts, isShown: true, details }),
      '{"namespaces":{},"dimension":2,"totalVectorCount":6}',
    );
});
