// The service for judgment sets over the reference engine: its bounds, and scores while sets change.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { seedProjects } from '../../catalog/conformance/conformance-suite.ts';
import type { Catalog } from '../../catalog/port.ts';
import { openCatalog } from '../../catalog/sqlite/open-catalog.ts';
import { fault } from '../../domain/faults.ts';
import { type Index, profileOf } from '../../domain/index-model.ts';
import {
  JUDGED_QUESTIONS_MAX,
  JUDGMENT_SET_BYTES_MAX,
  JUDGMENTS_PER_QUESTION_MAX,
  type JudgedQuestion,
  KEPT_SCORES_MAX,
  type Question,
} from '../../domain/judgments/judgment-set.ts';
import { ReferenceIndex } from '../../engine/reference/reference-index.ts';
import { NEW_INDEX } from '../indexes/testing/control-plane.ts';
import { JudgmentService } from './judgment-service.ts';

const INDEX: Index = {
  ...NEW_INDEX,
  ...{ id: 'index-1', projectId: 'project-1', state: 'Ready', port: null, createdAt: '' },
};
const QUESTION: JudgedQuestion = { id: 'a', judgments: [{ id: 'b', grade: 3 }] };
const NEVER = new AbortController().signal;

let catalog: Catalog;
let service: JudgmentService;
beforeEach(async () => {
  catalog = await openCatalog({ path: ':memory:' });
  await seedProjects(catalog);
  await catalog.indexes.insert(INDEX);
  const store = new ReferenceIndex(profileOf(INDEX));
  await store.createNamespace('n', null);
  service = new JudgmentService({
    catalog,
    engine: { reader: () => store },
    sharedAliases: () => undefined,
  });
});
afterEach(() => catalog.close());

const make = (questions: readonly JudgedQuestion[] = [QUESTION]) =>
  service.create(INDEX, { name: 'set', namespace: 'n', questions });

function request(search: () => Promise<readonly string[]>, signal = NEVER) {
  return { k: 10, configurations: [{}], isKept: async () => true, search, signal };
}

describe('judgment sets', () => {
  it('refuse more than they may hold, and keep what they have', async () => {
    const { id } = await make();
    const many = Array.from({ length: JUDGED_QUESTIONS_MAX + 1 }, (_, at) => ({ ...QUESTION, id: `q${at}` }));
    const judgments = Array.from({ length: JUDGMENTS_PER_QUESTION_MAX + 1 }, (_, at) => ({
      id: `r${at}`,
      grade: 1,
    }));
    const wide = Array.from({ length: 60 }, (_, at) => ({
      ...{ id: `q${at}`, judgments: judgments.slice(1) },
    }));
    const large = [{ ...QUESTION, filter: { a: 'x'.repeat(JUDGMENT_SET_BYTES_MAX) } }];
    for (const questions of [many, [{ ...QUESTION, judgments }], wide, large])
      await assert.rejects(service.update(INDEX, id, { questions }), { condition: 'invalid-argument' });
    await assert.rejects(service.judge(INDEX, id, { question: { id: 'a' }, judgments }), {
      condition: 'invalid-argument',
    });
    assert.deepEqual((await service.describe(INDEX.id, id)).questions, [QUESTION]);
  });

  it('keep judgments that come while they are scored, and the latest scores', async () => {
    const { id } = await make();
    const judged = { question: { id: 'a' }, judgments: [{ id: 'c', grade: 1 }] };
    await service.score(
      INDEX,
      id,
      request(async () => {
        await service.judge(INDEX, id, judged);
        return ['b'];
      }),
    );
    const { questions, scores } = await service.describe(INDEX.id, id);
    assert.deepEqual(questions, [{ id: 'a', judgments: [...QUESTION.judgments, ...judged.judgments] }]);
    assert.deepEqual(scores[0]?.configurations, [{ configuration: {}, ndcg: 1, recall: 1, mrr: 1 }]);
    for (let at = 0; at < KEPT_SCORES_MAX; at++)
      await service.score(
        INDEX,
        id,
        request(async () => []),
      );
    assert.equal((await service.describe(INDEX.id, id)).scores.length, KEPT_SCORES_MAX);
  });

  it('answer a score that is not to be kept, and keep the others', async () => {
    const { id } = await make();
    const found = request(async () => ['b']);
    await service.score(INDEX, id, found);
    const { scores } = await service.describe(INDEX.id, id);
    const { configurations } = await service.score(INDEX, id, { ...found, isKept: async () => false });
    assert.equal(configurations[0]?.ndcg, 1);
    assert.deepEqual((await service.describe(INDEX.id, id)).scores, scores);
  });

  it('end a score with its client, refuse too many of a project at once, and begin again afterwards', async () => {
    const { id } = await make();
    const controller = new AbortController();
    let searches = 0;
    const gone = request(async () => {
      searches++;
      controller.abort(new Error('gone'));
      return [];
    }, controller.signal);
    const twice = { ...gone, configurations: [{}, {}] };
    await assert.rejects(service.score(INDEX, id, twice), /gone/);
    assert.equal(searches, 1);
    const { promise, resolve } = Promise.withResolvers<readonly string[]>();
    const waiting = Array.from({ length: 8 }, () =>
      service.score(
        INDEX,
        id,
        request(() => promise),
      ),
    );
    // The others wait for their searches.
    await assert.rejects(Promise.race(waiting), { condition: 'overloaded' });
    const ofOther = await service.score(
      { ...INDEX, projectId: 'project-2' },
      id,
      request(async () => ['b']),
    );
    assert.equal(ofOther.configurations[0]?.ndcg, 1);
    resolve([]);
    await Promise.allSettled(waiting);
    assert.equal(
      (
        await service.score(
          INDEX,
          id,
          request(async () => ['b']),
        )
      ).configurations[0]?.ndcg,
      1,
    );
  });

  it('name the question at which a score fails, and the configuration', async () => {
    const { id } = await make([QUESTION, { ...QUESTION, id: 'bad' }]);
    const search = async (_: string, question: Question, configuration: number) => {
      if (question.id === 'bad' && configuration === 1) throw fault('zero-vector', { id: 'bad' });
      return [];
    };
    const failing = { ...request(async () => []), configurations: [{}, {}], search };
    await assert.rejects(service.score(INDEX, id, failing), {
      condition: 'zero-vector',
      message: /^questions\[1\] by configurations\[1\]: /,
    });
  });

  it('let a stored question that cannot be asked any more go, and take judgments of others', async () => {
    const { id } = await make();
    const stored = await catalog.judgmentSets.find(INDEX.id, id);
    assert.ok(stored);
    const bad = { vector: [Number.MAX_VALUE], judgments: [{ id: 'b', grade: 1 }] };
    await catalog.judgmentSets.replace({ ...stored, questions: [QUESTION, bad], revision: 2 });
    const { judgments: _, ...question } = bad;
    await service.judge(INDEX, id, { question: { id: 'a' }, judgments: [{ id: 'c', grade: 1 }] });
    await assert.rejects(service.judge(INDEX, id, { question, judgments: [{ id: 'c', grade: 1 }] }), {
      condition: 'invalid-argument',
    });
    await service.judge(INDEX, id, { question, judgments: [{ id: 'b', grade: null }] });
    assert.equal((await service.describe(INDEX.id, id)).questionCount, 1);
  });

  it('answer that they are gone when their index or namespace is', async () => {
    const { id } = await service.create(INDEX, { name: 's', namespace: 'other', questions: [QUESTION] });
    const score = () =>
      service.score(
        INDEX,
        id,
        request(async () => []),
      );
    await assert.rejects(score(), { condition: 'namespace-not-found' });
    await catalog.indexes.delete(INDEX.id);
    await assert.rejects(score(), { condition: 'judgment-set-not-found' });
    await assert.rejects(make(), { condition: 'unknown-host' });
  });
});
