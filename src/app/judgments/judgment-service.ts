// The service for judgment sets: keeps them in the catalog, takes judgments, and scores searches by them.
import type { Catalog, StoredJudgmentSet } from '../../catalog/port.ts';
import { type SharedAliases, servedNamespace } from '../../domain/aliases/alias-names.ts';
import { fault, invalid } from '../../domain/faults.ts';
import { newId } from '../../domain/ids.ts';
import { type Index, profileOf } from '../../domain/index-model.ts';
import { checkQuestion } from '../../domain/judgments/check-question.ts';
import { checkQuestions, checkTogether } from '../../domain/judgments/check-questions.ts';
import {
  type JudgedQuestion,
  type JudgmentSet,
  type JudgmentSetSummary,
  judgmentCount,
  KEPT_SCORES_MAX,
  type KeptScore,
  type Question,
  questionKey,
} from '../../domain/judgments/judgment-set.ts';
import type {
  ChangedJudgment,
  JudgmentSets,
  NewJudgmentSet,
  ScoreRequest,
  SetScore,
} from '../../domain/judgments/services.ts';
import { overloaded } from '../../domain/overload.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import { scoreQuestions } from './score-set.ts';

/** Scores that run at the same time; each is hundreds of searches. */
const SCORES_AT_ONCE_MAX = 8;
/** Of one project. */
const PROJECT_SCORES_AT_ONCE_MAX = 2;
/** How often a change begins anew because another one came between. */
const ATTEMPTS_MAX = 20;

export interface JudgmentServiceParts {
  readonly catalog: Pick<Catalog, 'judgmentSets'>;
  readonly engine: Pick<VectorStore, 'reader'>;
  /** The aliases of an index; undefined when it has none. */
  readonly sharedAliases: (indexId: string) => SharedAliases | undefined;
  readonly now?: () => Date;
}

export class JudgmentService implements JudgmentSets {
  readonly #parts: JudgmentServiceParts;
  /** The project of each score that runs. */
  readonly #scoring: string[] = [];

  constructor(parts: JudgmentServiceParts) {
    this.#parts = parts;
  }

  async create(index: Index, { name, namespace, questions }: NewJudgmentSet): Promise<JudgmentSet> {
    checkQuestions(index, questions);
    const createdAt = this.#now();
    const set: StoredJudgmentSet = {
      id: newId(),
      indexId: index.id,
      name,
      namespace,
      ...contentOf(questions),
      scores: [],
      revision: 1,
      createdAt,
      updatedAt: createdAt,
    };
    if (!(await this.#parts.catalog.judgmentSets.insert(set)))
      throw fault('unknown-host', { host: index.name });
    return set;
  }

  list(indexId: string): Promise<readonly JudgmentSetSummary[]> {
    return this.#parts.catalog.judgmentSets.list(indexId);
  }

  describe(indexId: string, id: string): Promise<JudgmentSet> {
    return this.#stored(indexId, id);
  }

  async update(index: Index, id: string, changes: Partial<NewJudgmentSet>): Promise<JudgmentSet> {
    const { questions, ...rest } = changes;
    if (questions !== undefined) checkQuestions(index, questions);
    return this.#change(index.id, id, (set) => ({
      ...set,
      ...rest,
      ...(questions !== undefined && contentOf(questions)),
      updatedAt: this.#now(),
    }));
  }

  judge(
    index: Index,
    id: string,
    { question, judgments }: { readonly question: Question; readonly judgments: readonly ChangedJudgment[] },
  ): Promise<JudgmentSet> {
    const key = questionKey(question);
    return this.#change(index.id, id, (set) => {
      const questions = withJudgments(set.questions, question, judgments);
      // Others may be from before an index or these rules changed, and go only by their last judgment.
      if (questions.some((each) => questionKey(each) === key)) checkQuestion(index, question, 'question');
      checkTogether(questions);
      return { ...set, ...contentOf(questions), updatedAt: this.#now() };
    });
  }

  async delete(indexId: string, id: string): Promise<void> {
    if (!(await this.#parts.catalog.judgmentSets.delete(indexId, id)))
      throw fault('judgment-set-not-found', { id });
  }

  async score(index: Index, id: string, request: ScoreRequest): Promise<SetScore> {
    const set = await this.#stored(index.id, id);
    if (set.questions.length === 0) throw invalid('The judgment set has no questions yet.');
    await this.#requireNamespace(index, set.namespace);
    const { projectId } = index;
    const ofProject = this.#scoring.filter((each) => each === projectId).length;
    if (this.#scoring.length >= SCORES_AT_ONCE_MAX || ofProject >= PROJECT_SCORES_AT_ONCE_MAX)
      throw overloaded();
    this.#scoring.push(projectId);
    try {
      const score = { scoredAt: this.#now(), ...(await scoreQuestions(set, request)) };
      if (await request.isKept()) await this.#keep(index.id, id, keptScore(score, request));
      return score;
    } finally {
      this.#scoring.splice(this.#scoring.indexOf(projectId), 1);
    }
  }

  /** @throws judgment-set-not-found, overloaded */
  async #keep(indexId: string, id: string, score: KeptScore): Promise<void> {
    await this.#change(indexId, id, (set) => ({
      ...set,
      scores: [score, ...set.scores].slice(0, KEPT_SCORES_MAX),
    }));
  }

  /** @throws judgment-set-not-found */
  async #stored(indexId: string, id: string): Promise<StoredJudgmentSet> {
    const set = await this.#parts.catalog.judgmentSets.find(indexId, id);
    if (set === null) throw fault('judgment-set-not-found', { id });
    return set;
  }

  /** @throws judgment-set-not-found, overloaded; what `changed` throws */
  async #change(
    indexId: string,
    id: string,
    changed: (set: StoredJudgmentSet) => StoredJudgmentSet,
  ): Promise<JudgmentSet> {
    const { judgmentSets } = this.#parts.catalog;
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const former = await this.#stored(indexId, id);
      const set = { ...changed(former), revision: former.revision + 1 };
      if (await judgmentSets.replace(set)) return set;
    }
    throw overloaded();
  }

  /** @throws namespace-not-found */
  async #requireNamespace(index: Index, name: string): Promise<void> {
    const namespace = servedNamespace(this.#parts.sharedAliases(index.id), name);
    const summary = await this.#parts.engine.reader(profileOf(index)).describeNamespace(namespace);
    if (summary === null) throw fault('namespace-not-found');
  }

  #now(): string {
    return (this.#parts.now?.() ?? new Date()).toISOString();
  }
}

function contentOf(questions: readonly JudgedQuestion[]) {
  return { questions, questionCount: questions.length, judgmentCount: judgmentCount(questions) };
}

function keptScore({ scoredAt, k, configurations }: SetScore, request: ScoreRequest): KeptScore {
  return {
    scoredAt,
    k,
    configurations: configurations.map(({ ndcg, recall, mrr }, at) => ({
      configuration: request.configurations[at] ?? {},
      ...{ ndcg, recall, mrr },
    })),
  };
}

/** The questions with new opinions on one of them. */
function withJudgments(
  questions: readonly JudgedQuestion[],
  question: Question,
  changes: readonly ChangedJudgment[],
): readonly JudgedQuestion[] {
  const key = questionKey(question);
  const at = questions.findIndex((each) => questionKey(each) === key);
  const grades = new Map(questions[at]?.judgments.map(({ id, grade }) => [id, grade]));
  for (const { id, grade } of changes) {
    if (grade === null) grades.delete(id);
    else grades.set(id, grade);
  }
  const judgments = [...grades].map(([id, grade]) => ({ id, grade }));
  const judged = judgments.length === 0 ? [] : [{ ...question, judgments }];
  return at === -1 ? [...questions, ...judged] : questions.toSpliced(at, 1, ...judged);
}
