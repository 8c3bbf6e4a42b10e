// The fusion of a search, an extension of this server: how several rankings become one.

import { type Fusion, TEXT_SCALE } from '../../../app/records/fuse-rankings.ts';
import type { FusedSearch } from '../../../app/records/search-fused.ts';
import { PREVIEW_VERSION, type RequestedVersion } from '../../../domain/api-version.ts';
import { invalid } from '../../../domain/faults.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import {
  FUSED_MATCHES_MAX,
  FUSED_RANKINGS_MAX,
  FUSION_WEIGHT_MAX,
  RRF_K_DEFAULT,
  RRF_K_MAX,
} from '../../../domain/limits.ts';
import type { VectorPair } from '../../../domain/records/vector-record.ts';
import { Type } from '../../schema/type.ts';
import { checkInteger, refuseUnknown, requiredObject } from './request-fields.ts';

const fusionBody = (parts: string, description: string) =>
  Type.Object(
    {
      method: Type.Optional(
        Type.Union([Type.Literal('rrf'), Type.Literal('weighted')], {
          description:
            `\`rrf\` (default) adds reciprocal ranks. \`weighted\` adds scores: those of vectors are scaled to 0..1 within ` +
            `their ranking, and those by words are ${TEXT_SCALE} times the square of their share of the score that the ` +
            'words could give, each in one field.',
        }),
      ),
      k: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: RRF_K_MAX,
          default: RRF_K_DEFAULT,
          description: 'For rrf: the higher, the less the first ranks count.',
        }),
      ),
      weights: Type.Optional(
        Type.Array(Type.Number({ minimum: 0, maximum: FUSION_WEIGHT_MAX }), {
          description: `${parts} Default: 1 each.`,
        }),
      ),
    },
    {
      additionalProperties: false,
      description: `An extension of this server: ${description}`,
      examples: [{ method: 'rrf', weights: [1, 0.5] }],
    },
  );

export const FusionBody = fusionBody(
  'One for each clause.',
  'lets score_by combine clauses of every type. Each clause ranks on its own, and the rankings are fused. ' +
    `At most ${FUSED_RANKINGS_MAX} clauses, which times top_k, and times group_by.size, are at most ${FUSED_MATCHES_MAX}.`,
);

export const VectorFusionBody = fusionBody(
  'One for the dense and one for the sparse vector.',
  'the dense and the sparse vector rank on their own, and the rankings are fused; without it, the scores of both add up.',
);

export interface RequestedFusion {
  readonly fusion: Fusion;
  /** One for each ranking; null for equal weights. */
  readonly weights: readonly number[] | null;
}

const PLAIN: RequestedFusion = { fusion: { method: 'rrf', k: RRF_K_DEFAULT }, weights: null };

/** Null where clauses of different types may not be combined. @throws invalid-argument */
export function readFusion(json: unknown, version: RequestedVersion): RequestedFusion | null {
  // Clients of the preview combine clauses without saying how.
  if (json === undefined) return version === PREVIEW_VERSION ? PLAIN : null;
  return readGiven(json);
}

/** What fuses the dense and the sparse ranking of a query; null when absent. @throws invalid-argument */
export function readVectorFusion(
  json: unknown,
  { dimension, metric }: Pick<IndexProfile, 'dimension' | 'metric'>,
  vectors: VectorPair | null,
): Pick<FusedSearch, 'fusion' | 'weights' | 'metric'> | null {
  if (json === undefined) return null;
  if (dimension === null || metric !== 'dotproduct') {
    throw invalid('fusion is for dense indexes with metric dotproduct, which have sparse vectors, too');
  }
  if (vectors !== null && (vectors.values === null || vectors.sparse === null)) {
    throw invalid('fusion needs a dense and a sparse query vector, or the id of a record');
  }
  const requested = readGiven(json);
  return { fusion: requested.fusion, weights: rankingWeights(requested, 2), metric };
}

function readGiven(json: unknown): RequestedFusion {
  const body = requiredObject(json, 'fusion');
  refuseUnknown(body, ['method', 'k', 'weights'], 'fusion');
  const { method = 'rrf', k, weights } = body;
  if (method !== 'rrf' && method !== 'weighted') throw invalid('fusion.method must be rrf or weighted');
  if (method === 'weighted' && k !== undefined) throw invalid('fusion.k is for the method rrf');
  return {
    fusion:
      method === 'weighted'
        ? { method }
        : { method, k: checkInteger(k ?? RRF_K_DEFAULT, 'fusion.k', { min: 1, max: RRF_K_MAX }) },
    weights: weights === undefined ? null : readWeights(weights),
  };
}

function readWeights(json: unknown): readonly number[] {
  if (!Array.isArray(json) || !json.every(isWeight)) {
    throw invalid(`fusion.weights must be a list of numbers from 0 to ${FUSION_WEIGHT_MAX}`);
  }
  return json;
}

function isWeight(json: unknown): boolean {
  return typeof json === 'number' && json >= 0 && json <= FUSION_WEIGHT_MAX;
}

/** The weight of each of `count` rankings. @throws invalid-argument when there is another number of them */
export function rankingWeights({ weights }: RequestedFusion, count: number): readonly number[] {
  if (weights === null) return Array.from({ length: count }, () => 1);
  if (weights.length !== count) {
    throw invalid(
      `fusion.weights must hold one weight for each of the ${count} rankings, got ${weights.length}`,
    );
  }
  return weights;
}
