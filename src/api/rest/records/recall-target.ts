// The recall that a caller requests of a search of dense vectors, in the body or in a header.
import { type QueryRequest, readerOver, type VectorReader } from '../../../app/records/record-access.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { RECALL_TARGET_MAX, RECALL_TARGET_MIN } from '../../../domain/limits.ts';
import { checkRecall } from '../../../domain/recall-promise.ts';
import { Type } from '../../schema/type.ts';

/** Request header; a header of this service's own, for clients that drop unknown keys of the body. */
export const RECALL_HEADER = 'x-pinyon-recall';

export const RecallTarget = Type.Number({
  minimum: RECALL_TARGET_MIN,
  maximum: RECALL_TARGET_MAX,
  description:
    'The share of the true best to expect among the results of the hardest kind of query; others find more. It chooses ' +
    'the effort of searches of dense vectors. ' +
    'An extension of this service.',
  examples: [0.95],
});

/** The field `recall` of an object. @throws invalid-argument */
export function readRecall(object: JsonObject): { readonly recall?: number } {
  const { recall = null } = object;
  return recall === null ? {} : { recall: checkRecall(recall, { name: 'recall', least: RECALL_TARGET_MIN }) };
}

/** The reader, whose queries aim for the recall of a header unless they say something else. @throws invalid-argument */
export function withHeaderRecall(reader: VectorReader, header: string): VectorReader {
  const given = header.trim() === '' ? Number.NaN : Number(header);
  const recall = checkRecall(given, { name: RECALL_HEADER, least: RECALL_TARGET_MIN });
  // An effort that the body asks for says how much to search already.
  const aimed = (request: QueryRequest) => (request.effort === undefined ? { recall, ...request } : request);
  return readerOver(reader, {
    query: (request) => reader.query(aimed(request)),
    explainQuery: (request) => reader.explainQuery(aimed(request)),
    countedQuery: (request) => reader.countedQuery(aimed(request)),
  });
}
