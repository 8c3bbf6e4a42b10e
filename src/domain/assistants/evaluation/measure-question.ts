// Asks one question of a set, and measures the snippets, the citations and the answer.
import { type JsonObject, membersOf } from '../../json.ts';
import { type Configuration, chatBodyOf, contextBodyOf } from './configuration.ts';
import type { TestQuestion } from './test-question.ts';

/** Shares are from 0 to 1; null where there is nothing to measure. */
export interface Measured {
  readonly answer: string;
  /** 1 if a snippet is of the right file and page, else 0; null for questions without a file. */
  readonly recall: number | null;
  /** Position of the first such snippet, from 1. */
  readonly rank: number | null;
  /** Share of the references that name the right file and page; null also for answers that cite nothing. */
  readonly citation_precision: number | null;
  readonly correctness: number;
  readonly completeness: number;
  readonly alignment: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  /** Tokens that judging the answer took. */
  readonly evaluation_tokens: number;
  /** Until the answer was there. */
  readonly seconds: number;
}

export type Outcome = Measured | { readonly error: string };

/** Sends a request to the service, with the body as JSON. */
export type Post = (path: string, body: JsonObject) => Promise<JsonObject>;

/** Asks for the context and the answer, and has the answer judged. @throws what `post` throws */
export async function measureQuestion(
  post: Post,
  asked: TestQuestion,
  configuration: Configuration,
): Promise<Measured> {
  const { question, truth } = asked;
  const path = `/assistant/chat/${encodeURIComponent(configuration.assistant)}`;
  const { snippets } = await post(`${path}/context`, contextBodyOf(question, configuration));
  const begun = performance.now();
  const reply = await post(path, chatBodyOf(question, configuration));
  const seconds = (performance.now() - begun) / 1_000;
  const answer = String(membersOf(reply.message).content ?? '');
  const judged =
    answer.trim() === ''
      ? {}
      : await post('/assistant/evaluation/metrics/alignment', {
          question,
          answer,
          ground_truth_answer: truth,
        });
  const usage = membersOf(reply.usage);
  return {
    answer,
    ...retrievalOf(asked, listOf(snippets)),
    citation_precision: precisionOf(asked, listOf(reply.citations)),
    ...scoresOf(membersOf(judged.metrics)),
    prompt_tokens: Number(usage.prompt_tokens ?? 0),
    completion_tokens: Number(usage.completion_tokens ?? 0),
    evaluation_tokens: Number(membersOf(judged.usage).total_tokens ?? 0),
    seconds: Math.round(seconds * 1_000) / 1_000,
  };
}

function scoresOf(metrics: JsonObject): Pick<Measured, 'correctness' | 'completeness' | 'alignment'> {
  const { correctness = 0, completeness = 0, alignment = 0 } = metrics;
  return {
    correctness: Number(correctness),
    completeness: Number(completeness),
    alignment: Number(alignment),
  };
}

function retrievalOf(asked: TestQuestion, snippets: readonly JsonObject[]) {
  if (asked.file === null) return { recall: null, rank: null };
  const at = snippets.findIndex(({ reference }) => isRight(membersOf(reference), asked));
  return at === -1 ? { recall: 0, rank: null } : { recall: 1, rank: at + 1 };
}

function precisionOf(asked: TestQuestion, citations: readonly JsonObject[]): number | null {
  const references = citations.flatMap((each) => listOf(each.references));
  if (asked.file === null || references.length === 0) return null;
  return references.filter((each) => isRight(each, asked)).length / references.length;
}

/** Whether a snippet or citation is of the file and page that answer the question. */
function isRight(reference: JsonObject, { file, page }: TestQuestion): boolean {
  if (membersOf(reference.file).name !== file) return false;
  return page === null || (Array.isArray(reference.pages) && reference.pages.includes(page));
}

function listOf(json: unknown): readonly JsonObject[] {
  return Array.isArray(json) ? json.map(membersOf) : [];
}
