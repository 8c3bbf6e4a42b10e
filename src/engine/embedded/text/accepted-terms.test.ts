// Tries of a search that writes overtake: each accepts the terms that are new, and tests no others again.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { QuerySteps } from '../../../domain/full-text/query-steps.ts';
import { type ExpandingQuery, expansionOf } from '../../../domain/full-text/scoring/term-matcher.ts';
import { KnownExpansions } from './accepted-terms.ts';
import { arenaMemory, newArena } from './testing/arena-memory.ts';
import { TextReader } from './text-reader.ts';
import { TextWriter } from './text-writer.ts';

const SEED = 9;
const TERMS = 3_000;
const ANALYSIS = { language: 'en', stemming: false, stopWords: false, ngram: null } as const;

function index() {
  const memory = arenaMemory(newArena());
  const writer = new TextWriter(memory, { fields: new Map([['text', ANALYSIS]]), seed: SEED });
  const reader = new TextReader(memory, { seed: SEED });
  let slots = 0;
  const write = (...texts: readonly string[]) => {
    for (const text of texts) writer.append(slots++, { text });
    reader.apply(writer.takeDeltas());
    writer.countAppended(slots);
    writer.publish();
  };
  const remove = (text: string) => {
    writer.noteDeleted({ text });
    writer.countDeleted();
  };
  return { reader, write, remove };
}

it('are cheap after the first one, and see terms that came and went in between', () => {
  const { reader, write, remove } = index();
  write(...Array.from({ length: TERMS }, (_, at) => `w${at}x`), 'graph', 'graphs');
  const query: ExpandingQuery = { kind: 'regex', field: 'text', pattern: '.*graph.*' };
  const known = new KnownExpansions();
  const attempt = () => {
    const steps = new QuerySteps();
    const before = steps.left;
    const found = new Set<string>();
    reader.visitMatching(0, expansionOf(query), {
      ...{ steps, accepted: known.of(query, reader) },
      visitor: (term) => found.add(term),
    });
    return { found: [...found].sort(), steps: before - steps.left };
  };
  const first = attempt();
  assert.deepEqual(first.found, ['graph', 'graphs']);
  assert.ok(first.steps > TERMS, `${first.steps} steps`);
  write('paragraph', 'other');
  remove('graphs');
  const second = attempt();
  assert.deepEqual(second.found, ['graph', 'paragraph']);
  assert.ok(second.steps < first.steps / 20, `${second.steps} steps after ${first.steps}`);
  write('graphs');
  assert.deepEqual(attempt().found, ['graph', 'graphs', 'paragraph']);
});
