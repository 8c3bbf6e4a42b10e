// Counts the matches of a query by a read of its own.
import type { CountedMatches, Match, QueryRequest, VectorReader } from './reader-and-writer.ts';

/** As `countedQuery`, by the other methods of a reader. */
export async function queryAndCount(
  reader: Pick<VectorReader, 'query' | 'count'>,
  request: QueryRequest,
): Promise<CountedMatches> {
  const matches = await reader.query(request);
  const { namespace, filter, values, sparse, text = null, topK } = request;
  // A search by words or by a sparse vector finds all that match where they are fewer than it asks for.
  if (values === null && matches.length < topK) return { matches, matched: matches.length };
  const among = values === null ? [{ sparse, text }] : null;
  return { matches, matched: await reader.count(namespace, filter, among) };
}

/** A reader whose searches do not know how many records match. */
export abstract class ReaderThatCounts implements Pick<VectorReader, 'query' | 'count' | 'countedQuery'> {
  abstract query(request: QueryRequest): Promise<readonly Match[]>;
  abstract count(...args: Parameters<VectorReader['count']>): Promise<number>;

  countedQuery(request: QueryRequest): Promise<CountedMatches> {
    return queryAndCount(this, request);
  }
}
