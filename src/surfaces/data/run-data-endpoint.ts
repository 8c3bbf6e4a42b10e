// Runs one data endpoint beside the data and finishes its answer: faults, headers, text.
import { Fault, fault } from '../../domain/faults.ts';
import type { EngineReply } from '../../vectors/engine.ts';
import type { VectorReader, VectorWriter } from '../../vectors/port.ts';
import type { DataCall, DataEndpoint, Reply } from '../endpoint.ts';
import { faultBody, faultHeaders } from '../fault-body.ts';
import { canExplain, explainQueries, withExplanation } from './explain.ts';
import { readHeaders } from './freshness.ts';

/** A data call before it meets its store. */
export interface DataCallFacts extends Omit<DataCall<unknown>, 'store'> {
  /** True when the caller wants to know what a search does. */
  readonly explain?: boolean;
}

export interface RunTools {
  /** Needed by endpoints of the read lane. */
  readonly reader?: VectorReader;
  /** Needed by endpoints of the write lane. */
  readonly writer?: VectorWriter;
  /** Receives what became a plain 500. */
  readonly onError: (error: unknown) => void;
}

/** Never rejects: faults are answered in the endpoint's error family, anything else as 500 without detail. */
export async function runDataEndpoint(
  endpoint: DataEndpoint,
  facts: DataCallFacts,
  tools: RunTools,
): Promise<EngineReply> {
  try {
    return finish(await handle(endpoint, facts, tools));
  } catch (error) {
    const known = error instanceof Fault ? error : fault('internal');
    if (known !== error) tools.onError(error);
    const body = faultBody(endpoint.errors, known);
    return { status: known.status, headers: faultHeaders(known), body: JSON.stringify(body) };
  }
}

async function handle(
  endpoint: DataEndpoint,
  { explain, ...facts }: DataCallFacts,
  tools: RunTools,
): Promise<Reply> {
  if (endpoint.lane === 'write') {
    if (tools.writer === undefined) throw new Error(`${endpoint.id} needs a writer`);
    return endpoint.handle({ ...facts, store: tools.writer });
  }
  if (tools.reader === undefined) throw new Error(`${endpoint.id} needs a reader`);
  // Endpoints that read records declare the condition; stats and namespace listings answer all the same.
  if (!facts.index.readable && endpoint.faults.includes('reads-paused')) {
    throw fault('reads-paused', { name: facts.index.name });
  }
  // Taken before the read, so that the read surely sees everything up to it.
  const lsn = tools.reader.lsn();
  const isExplained = explain === true && canExplain(endpoint.id);
  const explained = isExplained ? explainQueries(tools.reader) : null;
  const answer = await endpoint.handle({ ...facts, store: explained?.reader ?? tools.reader });
  const reply = explained === null ? answer : withExplanation(endpoint.id, answer, explained.explanation());
  return { ...reply, headers: { ...readHeaders(facts.index, lsn), ...reply.headers } };
}

function finish(reply: Reply): EngineReply {
  const body = reply.jsonText ?? (reply.body === undefined ? '' : JSON.stringify(reply.body));
  const type = body === '' ? {} : { 'content-type': 'application/json; charset=utf-8' };
  return { status: reply.status, headers: { ...type, ...reply.headers }, body };
}
