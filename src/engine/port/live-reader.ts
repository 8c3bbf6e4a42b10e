// Reads of an index by its settings: what has expired is not there, and searches aim for the promised recall. Every
// engine gives its readers through this.
import {
  type Clock,
  isLive,
  liveFilter,
  onlyLive,
  systemClock,
  type TimeToLive,
} from '../../domain/expiry/time-to-live.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import type { ListPage, QueryRequest, VectorReader } from './reader-and-writer.ts';
import { readerOver } from './reader-over.ts';

/** Ids looked at for one page: where most have expired, a page ends early and the next one goes on. */
const IDS_LOOKED_AT_MAX = 10_000;

type ListRequest = Parameters<VectorReader['listIds']>[0];

type ReadSettings = Pick<IndexProfile, 'timeToLive' | 'promisedRecall'>;

/**
 * The same reader where the index has none of these settings.
 * @param clock one that stands still gives all reads the same moment; by default each has its own
 */
export function liveReader(
  reader: VectorReader,
  { timeToLive, promisedRecall }: ReadSettings,
  clock: Clock = systemClock,
): VectorReader {
  const aimed = promisedRecall === undefined ? reader : aimedReader(reader, promisedRecall);
  return timeToLive === undefined ? aimed : unexpiredReader(aimed, timeToLive, clock);
}

/** A reader whose searches aim for a recall unless they say something else. */
function aimedReader(reader: VectorReader, promisedRecall: number): VectorReader {
  const aimed = (request: QueryRequest): QueryRequest =>
    request.recall !== undefined || request.effort !== undefined || request.values === null
      ? request
      : { ...request, recall: promisedRecall };
  return readerOver(reader, {
    query: (request) => reader.query(aimed(request)),
    explainQuery: (request) => reader.explainQuery(aimed(request)),
    countedQuery: (request) => reader.countedQuery(aimed(request)),
  });
}

function unexpiredReader(reader: VectorReader, ttl: TimeToLive, clock: Clock): VectorReader {
  const { field } = ttl;
  const live = () => liveFilter(ttl, clock());
  return readerOver(reader, {
    query: (request) => reader.query({ ...request, filter: onlyLive(live(), request.filter) }),
    explainQuery: (request) => reader.explainQuery({ ...request, filter: onlyLive(live(), request.filter) }),
    countedQuery: (request) => reader.countedQuery({ ...request, filter: onlyLive(live(), request.filter) }),
    fetch: async (namespace, ids, filter) => {
      const now = clock();
      const records = await reader.fetch(namespace, ids, filter);
      return records.filter(({ metadataJson }) => isLive(metadataJson, field, now));
    },
    fetchByFilter: (request) =>
      reader.fetchByFilter({ ...request, filter: onlyLive(live(), request.filter) }),
    count: (namespace, filter, among) => reader.count(namespace, onlyLive(live(), filter), among),
    countValues: (request) => reader.countValues({ ...request, filter: onlyLive(live(), request.filter) }),
    listIds: (request) => liveIds(reader, request, { field, now: clock() }),
  });
}

async function liveIds(
  reader: VectorReader,
  request: ListRequest,
  { field, now }: { readonly field: string; readonly now: number },
): Promise<ListPage<string>> {
  const items: string[] = [];
  let { after } = request;
  for (let lookedAt = 0; ; ) {
    const page = await reader.listIds({ ...request, after, limit: request.limit - items.length });
    const records = await reader.fetch(request.namespace, page.items);
    for (const { id, metadataJson } of records) if (isLive(metadataJson, field, now)) items.push(id);
    lookedAt += page.items.length;
    after = page.next;
    if (after === null || items.length === request.limit || lookedAt >= IDS_LOOKED_AT_MAX)
      return { items, next: after };
  }
}
