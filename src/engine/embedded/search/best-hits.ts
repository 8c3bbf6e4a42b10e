// The best hits of a scan, with those parts of their records that the answer has, and no more of them than fit in it.
import type { IndexProfile } from '../../../domain/index-model.ts';
import { rankingMetric } from '../../../domain/ranking-metric.ts';
import { AnswerSize } from '../../port/answer-size.ts';
import type { RecordParts } from '../../port/record-codec.ts';
import { FirstItems } from './first-items.ts';
import type { SearchRequest } from './search-request.ts';
import { byScore, type Hit } from './search-target.ts';

/** The parts of records that an answer shows. */
export function shownParts({ includeValues, includeMetadata }: SearchRequest): RecordParts {
  return { sparse: includeValues, metadata: includeMetadata };
}

/** The parts of records that a scan needs to find its hits and to show them. */
export function searchedParts(request: SearchRequest): RecordParts {
  const { filter, sparse, requiredTerms, text } = request;
  const shown = shownParts(request);
  return {
    sparse: shown.sparse || sparse !== null || requiredTerms !== undefined,
    metadata: shown.metadata || filter !== null || Boolean(text),
  };
}

export class BestHits {
  readonly #shown: RecordParts;
  readonly #topK: number;
  readonly #size: AnswerSize;
  readonly #first: FirstItems<Hit>;
  #added = 0;

  constructor(profile: IndexProfile, request: SearchRequest) {
    const size = new AnswerSize(request, profile.dimension);
    this.#shown = shownParts(request);
    this.#topK = request.topK;
    this.#size = size;
    this.#first = new FirstItems<Hit>({
      compare: byScore(rankingMetric(profile, request)),
      limit: request.topK,
      bytesMax: size.bytesMax,
      bytesOf: ({ record }) => size.bytesMin(record.id, record.metadataJson),
    });
  }

  add({ record: { id, sparse, metadataJson }, row, score }: Hit): void {
    const { sparse: showsSparse, metadata: showsMetadata } = this.#shown;
    const record = {
      id,
      sparse: showsSparse ? sparse : null,
      metadataJson: showsMetadata ? metadataJson : null,
    };
    this.#added++;
    this.#first.add({ record, row, score });
  }

  /** Best first. Those that are missing do not fit in the answer. @throws response-too-big */
  finish(): readonly Hit[] {
    this.#size.check(Math.min(this.#topK, this.#added));
    return this.#first.finish();
  }
}
