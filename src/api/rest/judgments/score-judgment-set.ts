// POST /judgment-sets/{set_id}/score: how well searches by one or several configurations answer a judgment set.
import { invalid } from '../../../domain/faults.ts';
import type { JsonObject } from '../../../domain/json.ts';
import {
  SCORED_CONFIGURATIONS_MAX,
  SCORED_K_DEFAULT,
  SCORED_K_MAX,
} from '../../../domain/judgments/judgment-set.ts';
import type { QuestionScore, SetScore } from '../../../domain/judgments/services.ts';
import { Type } from '../../schema/type.ts';
import type { BulkCall, BulkEndpoint } from '../import-export/bulk-endpoint.ts';
import { shownMilliseconds } from '../records/explain.ts';
import { checkInteger } from '../records/request-fields.ts';
import { RecordId } from '../records/schemas.ts';
import { setId } from './describe-judgment-set.ts';
import {
  EXTENSION,
  FIGURES,
  Grade,
  JudgedQuestionObject,
  QUESTION_BOUNDS,
  READING,
  SET_PATH,
  SetPath,
  WRITING,
} from './judgment-call.ts';
import { judgedToWire } from './judgment-wire.ts';
import { judgmentBody, listOf } from './read-questions.ts';
import { CONFIGURATION_KEYS, checkConfiguration, foundIds, searchOf } from './search-of-question.ts';

const K = { min: 1, max: SCORED_K_MAX };
const KINDS = Object.entries(CONFIGURATION_KEYS).map(([kind, keys]) => `of ${kind}: ${keys.join(', ')}`);

const Judged = Type.Number({
  minimum: 0,
  maximum: 1,
  description: 'The share of the results that have been judged.',
  examples: [1],
});
const Milliseconds = Type.Number({ minimum: 0, examples: [1.2] });
const Result = Type.Object({
  ndcg: FIGURES.ndcg,
  recall: FIGURES.recall,
  reciprocal_rank: FIGURES.mrr,
  judged: Judged,
  milliseconds: Milliseconds,
  found: Type.Array(Type.Object({ id: RecordId, grade: Type.Union([Grade, Type.Null()]) }), {
    description: 'The first results; the grade is null where nobody has judged it.',
  }),
});

export const scoreJudgmentSet: BulkEndpoint = {
  ...READING,
  id: 'score_judgment_set',
  method: 'POST',
  path: `${SET_PATH}/score`,
  readsPast: true,
  summary: 'Score searches by a judgment set',
  description:
    'Asks all questions of the set by each configuration, and measures what the searches find by the judgments. ' +
    'Records that nobody has judged count as irrelevant. The figures are kept with the set where the caller may ' +
    `write records, and only answered where the caller may but read them, or has the searches read at a moment.${EXTENSION}`,
  params: SetPath,
  body: Type.Object(
    {
      k: Type.Optional(
        Type.Integer({
          minimum: K.min,
          maximum: K.max,
          default: SCORED_K_DEFAULT,
          description: 'Results that count.',
        }),
      ),
      configurations: Type.Optional(
        Type.Array(Type.Object({}, { additionalProperties: true }), {
          minItems: 1,
          maxItems: SCORED_CONFIGURATIONS_MAX,
          description:
            `Settings of the searches, with the names that their requests use (${KINDS.join('; ')}). ` +
            'Clauses of score_by without a query search for the question. Default: one, which is empty.',
        }),
      ),
    },
    {
      title: 'ScoreJudgmentSetRequest',
      additionalProperties: false,
      examples: [{ k: 10, configurations: [{}, { recall: 0.9 }] }],
    },
  ),
  bodyOptional: true,
  bodyBounds: QUESTION_BOUNDS,
  success: {
    status: 200,
    description: 'Each configuration as a whole, and question by question.',
    schema: Type.Object(
      {
        scored_at: Type.String({ format: 'date-time', examples: ['2026-07-01T09:30:00.000Z'] }),
        k: Type.Integer({ examples: [10] }),
        configurations: Type.Array(Type.Object({ ...FIGURES, judged: Judged, milliseconds: Milliseconds }), {
          description: 'Means over the questions, in the order of the request.',
        }),
        questions: Type.Array(
          Type.Object({ ...JudgedQuestionObject.properties, results: Type.Array(Result) }),
          { description: 'In the order of the set; the results in that of the configurations.' },
        ),
      },
      { title: 'JudgmentSetScore' },
    ),
  },
  faults: [
    'invalid-argument',
    'body-not-json',
    'bad-filter',
    'judgment-set-not-found',
    'judgment-bytes-exhausted',
    'namespace-not-found',
    'model-unavailable',
    'reads-paused',
  ],
  handle: async (call) => {
    const { index, services, signal, asOf } = call;
    const { k, configurations } = readScore(call);
    const score = await services.judgments.score(index, setId(call), {
      k,
      configurations,
      // Those of the past would pass for figures of the present.
      isKept: async () => (await call.mayNow(WRITING.permission)) && asOf === undefined,
      signal,
      search: async (namespace, question, at) => {
        const asked = { question, k, namespace, configuration: configurations[at] ?? {} };
        return foundIds(await call.search(searchOf(index, asked)), question);
      },
    });
    return { status: 200, body: scoreToWire(score) };
  },
};

function readScore({ body = {}, index }: BulkCall) {
  const { k = SCORED_K_DEFAULT, configurations = [{}] } = judgmentBody(body, ['k', 'configurations']);
  const list = listOf(configurations, 'configurations', SCORED_CONFIGURATIONS_MAX);
  if (list.length === 0) throw invalid('configurations must hold at least one');
  return {
    k: checkInteger(k, 'k', K),
    configurations: list.map(
      (each, at): JsonObject => checkConfiguration(each, index, `configurations[${at}]`),
    ),
  };
}

function scoreToWire({ scoredAt, k, configurations, questions }: SetScore) {
  return {
    scored_at: scoredAt,
    k,
    configurations: configurations.map((each) => ({
      ...each,
      milliseconds: shownMilliseconds(each.milliseconds),
    })),
    questions: questions.map(({ question, judgments, results }) => ({
      ...judgedToWire({ ...question, judgments }),
      results: results.map(resultToWire),
    })),
  };
}

function resultToWire({ reciprocalRank, ...result }: QuestionScore) {
  return {
    ...result,
    milliseconds: shownMilliseconds(result.milliseconds),
    reciprocal_rank: reciprocalRank,
  };
}
