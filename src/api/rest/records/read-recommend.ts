// The examples of a query and its diversity, extensions of this server.
import type { Diversity } from '../../../app/records/diversify.ts';
import type { Example, Recommendation } from '../../../app/records/recommend.ts';
import { invalid } from '../../../domain/faults.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import {
  DIVERSITY_CANDIDATES_DEFAULT,
  DIVERSITY_CANDIDATES_MAX,
  DIVERSITY_PRODUCTS_MAX,
  RECOMMEND_EXAMPLES_MAX,
  TOP_K_MAX,
} from '../../../domain/limits.ts';
import { checkRecordId } from '../../../domain/records/record-id.ts';
import { readQueryVectors } from '../../../domain/records/vector-record.ts';
import { Type } from '../../schema/type.ts';
import { checkInteger, refuseUnknown, requiredObject } from './request-fields.ts';
import { RecordId, Values } from './schemas.ts';

const examplesBody = (minItems: number) =>
  Type.Array(Type.Union([RecordId, Values]), { minItems, maxItems: RECOMMEND_EXAMPLES_MAX });

export const RecommendBody = Type.Object(
  { positive: examplesBody(1), negative: Type.Optional(examplesBody(0)) },
  {
    additionalProperties: false,
    title: 'Recommend',
    description:
      'An extension of this server, in place of vector and id, on indexes of dense vectors: searches by the mean of the ' +
      'positive examples, moved away from that of the negative ones by their difference. An example is the id of a record ' +
      'or a vector. Records given by id are no matches; ids without a record are left out, and without any positive ' +
      `example there are no matches. topK and the ids together are at most ${TOP_K_MAX}.`,
    examples: [{ positive: ['movie-1'], negative: ['movie-2'] }],
  },
);

export const DiversityBody = Type.Object(
  {
    weight: Type.Number({
      minimum: 0,
      maximum: 1,
      description: '0: relevance alone. 1: difference alone, after the top match.',
      examples: [0.5],
    }),
    candidates: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: DIVERSITY_CANDIDATES_MAX,
        description: `Matches to choose from, at least topK. Default: ${DIVERSITY_CANDIDATES_DEFAULT}, or topK where that is more.`,
      }),
    ),
  },
  {
    additionalProperties: false,
    title: 'Diversity',
    description:
      'An extension of this server, on indexes of dense vectors: chooses matches that are relevant and unlike each other ' +
      'by maximal marginal relevance, and returns them in the order in which they are chosen. topK times candidates ' +
      `times the dimension is at most ${DIVERSITY_PRODUCTS_MAX.toLocaleString('en')}.`,
    examples: [{ weight: 0.5, candidates: 100 }],
  },
);

/** Null when absent. @throws invalid-argument */
export function readRecommend(json: unknown, index: IndexProfile, topK: number): Recommendation | null {
  if (json === undefined) return null;
  requireDense(index, 'recommend');
  const body = requiredObject(json, 'recommend');
  refuseUnknown(body, ['positive', 'negative'], 'recommend');
  const positive = readExamples(body.positive, 'recommend.positive', index);
  const negative = readExamples(body.negative ?? [], 'recommend.negative', index);
  if (positive.length === 0) throw invalid('recommend.positive must hold an example');
  const ids = [...positive, ...negative].filter((example) => typeof example === 'string').length;
  if (topK + ids > TOP_K_MAX) {
    throw invalid(`topK and the ids of recommend together must be at most ${TOP_K_MAX}, got ${topK + ids}`);
  }
  return { positive, negative };
}

function readExamples(json: unknown, name: string, index: IndexProfile): readonly Example[] {
  if (!Array.isArray(json) || json.length > RECOMMEND_EXAMPLES_MAX) {
    throw invalid(`${name} must be a list of at most ${RECOMMEND_EXAMPLES_MAX} ids and vectors`);
  }
  return json.map((example: unknown) => {
    if (typeof example === 'string') return checkRecordId(example);
    const values = Array.isArray(example)
      ? readQueryVectors({ values: example, sparseIndices: null, sparseValues: null }, index)?.values
      : null;
    if (values === null || values === undefined)
      throw invalid(`${name} must hold ids and vectors of numbers`);
    return values;
  });
}

/** Null when absent. @throws invalid-argument */
export function readDiversity(json: unknown, index: IndexProfile, topK: number): Diversity | null {
  if (json === undefined) return null;
  const dimension = requireDense(index, 'diversity');
  const body = requiredObject(json, 'diversity');
  refuseUnknown(body, ['weight', 'candidates'], 'diversity');
  const { weight } = body;
  if (typeof weight !== 'number' || !(weight >= 0 && weight <= 1)) {
    throw invalid('diversity.weight must be a number from 0 to 1');
  }
  const candidates = checkInteger(
    body.candidates ?? Math.max(topK, DIVERSITY_CANDIDATES_DEFAULT),
    'diversity.candidates',
    { min: topK, max: DIVERSITY_CANDIDATES_MAX },
  );
  const products = topK * candidates * dimension;
  if (products > DIVERSITY_PRODUCTS_MAX) {
    throw invalid(
      `topK times diversity.candidates times the dimension must be at most ${DIVERSITY_PRODUCTS_MAX}, got ${products}`,
    );
  }
  return { weight, candidates };
}

function requireDense({ dimension }: Pick<IndexProfile, 'dimension'>, key: string): number {
  if (dimension === null) throw invalid(`${key} is for indexes of dense vectors`);
  return dimension;
}
