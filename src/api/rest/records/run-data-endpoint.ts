// Runs one data endpoint next to the data and completes its answer: renders faults, adds headers.

import type { Lsn, ReadAsOf, VectorReader, VectorWriter } from '../../../app/records/record-access.ts';
import { systemFault } from '../../../domain/faults/system-faults.ts';
import { Fault, fault } from '../../../domain/faults.ts';
import type { QueryExplanation } from '../../../domain/query-explain.ts';
import type { DataAnswer } from '../../data-request.ts';
import type { DataEndpoint, DataReply } from '../../endpoint.ts';
import { requestNamespaces } from '../../request-namespaces.ts';
import { readerAsOf, refuseMoment } from './as-of.ts';
import { canExplain, explainQueries, withExplanation } from './explain.ts';
import { readHeaders } from './freshness.ts';
import { requireServed } from './index-kinds.ts';
import { withHeaderRecall } from './recall-target.ts';
import { type DataCallInput, JSON_WIRE, type SentCall, type Wire } from './wire.ts';

export interface RunTools {
  /** Needed by endpoints of the read queue. */
  readonly reader?: VectorReader;
  /** Gives readers of earlier moments; absent for an engine without history. */
  readonly readAsOf?: ReadAsOf;
  /** For a reader that only this request uses: which write its reads saw. By default the last one before them is read. */
  readonly seenLsn?: () => Promise<Lsn>;
  /** Needed by endpoints of the write queue. */
  readonly writer?: VectorWriter;
  /** Receives the errors that no endpoint foresees: most were answered with a plain 500. */
  readonly onError: (error: unknown) => void;
  /** JSON by default. */
  readonly wire?: Wire;
}

/** An answer, with what its search did. */
export interface RunAnswer {
  readonly answer: DataAnswer;
  /** The last of its rankings; null for a call that does not search, and for a refusal. */
  readonly search: QueryExplanation | null;
}

/** Runs a call. Never rejects: answers faults in the endpoint's error family, and unknown errors with a plain 500. */
export async function runDataEndpoint(
  endpoint: DataEndpoint,
  sent: SentCall,
  tools: RunTools,
): Promise<RunAnswer> {
  const { wire = JSON_WIRE } = tools;
  try {
    requireServed(endpoint, sent.index);
    const { reply, search } = await handle(endpoint, wire.read(sent), tools);
    return { answer: wire.answer(reply), search };
  } catch (error) {
    const known = error instanceof Fault ? error : (systemFault(error) ?? fault('internal'));
    if (known !== error) tools.onError(error);
    return { answer: wire.refusal(endpoint.errors, known), search: null };
  }
}

async function handle(
  endpoint: DataEndpoint,
  { explain, recall, asOf, aliases, ...sent }: DataCallInput,
  tools: RunTools,
): Promise<{ readonly reply: DataReply; readonly search: QueryExplanation | null }> {
  const details = { ...sent, namespaces: requestNamespaces(aliases, endpoint.aliasRefusal) };
  if (endpoint.queue === 'write') {
    refuseMoment(asOf);
    if (tools.writer === undefined) throw new Error(`${endpoint.id} needs a writer`);
    return { reply: await endpoint.handle({ ...details, store: tools.writer }), search: null };
  }
  if (tools.reader === undefined) throw new Error(`${endpoint.id} needs a reader`);
  // Only endpoints that read records declare this fault; stats and namespace listings work while reads are paused.
  if (!details.index.readable && endpoint.faults.includes('reads-paused')) {
    throw fault('reads-paused', { name: details.index.name });
  }
  const given = asOf === undefined ? tools.reader : readerAsOf(asOf, tools.readAsOf);
  // Before the read, so that the read certainly sees every write up to it.
  const before = tools.seenLsn === undefined ? await given.lsn() : null;
  const isSearch = canExplain(endpoint.id);
  const reader = isSearch && recall !== undefined ? withHeaderRecall(given, recall) : given;
  const explained = isSearch ? explainQueries(reader) : null;
  const answer = await endpoint.handle({ ...details, store: explained?.reader ?? reader });
  const searches = explained?.explanations() ?? [];
  const reply = explain === true && isSearch ? withExplanation(endpoint.id, answer, searches) : answer;
  const lsn = before ?? (await tools.seenLsn?.()) ?? 0;
  const headers = { ...readHeaders(details.index, lsn), ...reply.headers };
  return { reply: { ...reply, headers }, search: searches.at(-1) ?? null };
}
