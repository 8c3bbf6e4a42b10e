// Scores a judgment set: runs its questions by each configuration, and measures what they find by the judgments.
import { Fault } from '../../domain/faults.ts';
import { forEachAtOnce } from '../../domain/for-each-at-once.ts';
import {
  type JudgedQuestion,
  type Judgment,
  RELEVANT_GRADE_MIN,
} from '../../domain/judgments/judgment-set.ts';
import type {
  ConfigurationScore,
  QuestionScore,
  ScoreRequest,
  SetScore,
} from '../../domain/judgments/services.ts';
import { meanOf, ndcgOf, recallOf, reciprocalRankOf } from '../../domain/ranking-figures.ts';

/** Searches of one score that run at the same time: few, since others search too. */
const AT_ONCE = 2;
/** Results of a question that a score shows. */
const SHOWN_MAX = 10;

/** @throws what a search throws; the signal's reason */
export async function scoreQuestions(
  { namespace, questions }: { readonly namespace: string; readonly questions: readonly JudgedQuestion[] },
  { k, configurations, search, signal }: ScoreRequest,
): Promise<Omit<SetScore, 'scoredAt'>> {
  const results = questions.map((): QuestionScore[] => []);
  await forEachAtOnce([...questions.entries()], AT_ONCE, async ([at, { judgments, ...question }]) => {
    for (const configuration of configurations.keys()) {
      signal.throwIfAborted();
      const startedAt = performance.now();
      const found = await search(namespace, question, configuration).catch((error: unknown) => {
        throw namedAfter(`questions[${at}] by configurations[${configuration}]`, error);
      });
      const milliseconds = performance.now() - startedAt;
      results[at]?.push({ ...measured(found, judgments, k), milliseconds });
    }
  });
  return {
    k,
    configurations: configurations.map((_, at) => summaryOf(results.flatMap((each) => each[at] ?? []))),
    questions: questions.map(({ judgments, ...question }, at) => ({
      question,
      judgments,
      results: results[at] ?? [],
    })),
  };
}

/** An error that says in addition where it happened. */
function namedAfter(what: string, error: unknown): unknown {
  if (!(error instanceof Fault)) return error;
  const { condition, message, retryAfterSeconds, metadata } = error;
  return new Fault(condition, `${what}: ${message}`, { retryAfterSeconds, metadata });
}

/** @param found ids, best first */
export function measured(
  found: readonly string[],
  judgments: readonly Judgment[],
  k: number,
): Omit<QuestionScore, 'milliseconds'> {
  const top = found.slice(0, k);
  const grades = new Map(judgments.map(({ id, grade }) => [id, grade]));
  const relevant = new Set(judgments.filter(({ grade }) => grade >= RELEVANT_GRADE_MIN).map(({ id }) => id));
  const isMeasured = relevant.size > 0;
  return {
    ndcg: isMeasured ? ndcgOf(top, grades, k) : null,
    recall: isMeasured ? recallOf(top, relevant) : null,
    reciprocalRank: isMeasured ? reciprocalRankOf(top, relevant) : null,
    judged: meanOf(top.map((id) => Number(grades.has(id)))) ?? 1,
    found: top.slice(0, SHOWN_MAX).map((id) => ({ id, grade: grades.get(id) ?? null })),
  };
}

function summaryOf(results: readonly QuestionScore[]): ConfigurationScore {
  const mean = (figure: (result: QuestionScore) => number | null) =>
    meanOf(results.flatMap((result) => figure(result) ?? []));
  return {
    ndcg: mean(({ ndcg }) => ndcg),
    recall: mean(({ recall }) => recall),
    mrr: mean(({ reciprocalRank }) => reciprocalRank),
    judged: mean(({ judged }) => judged) ?? 1,
    milliseconds: mean(({ milliseconds }) => milliseconds) ?? 0,
  };
}
