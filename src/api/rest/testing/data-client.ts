// Runs data endpoints over the reference model, as a server would, for the tests of this folder.
import assert from 'node:assert/strict';
import { mintProjectAccess } from '../../../domain/access.ts';
import type { SharedAliases } from '../../../domain/aliases/alias-names.ts';
import type { RequestedVersion } from '../../../domain/api-version.ts';
import type { IndexEmbedding } from '../../../domain/embedding/index-embedding.ts';
import { Fault } from '../../../domain/faults.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import { sampleProfile } from '../../../engine/conformance/sample-data.ts';
import { liveReader } from '../../../engine/port/live-reader.ts';
import { ReferenceIndex } from '../../../engine/reference/reference-index.ts';
import { type TestInference, testInference } from '../../../inference/testing/test-inference.ts';
import type { DataAnswer } from '../../data-request.ts';
import type { DataEndpoint, ErrorFamily, QueryValues } from '../../endpoint.ts';
import { faultBody, faultHeaders } from '../../fault-body.ts';
import { requestNamespaces } from '../../request-namespaces.ts';
import { dataEndpoints } from '../data-endpoints.ts';
import { dataRoutes } from '../data-routes.ts';
import { runDataEndpoint } from '../records/run-data-endpoint.ts';
import type { SentCall, Wire } from '../records/wire.ts';

/** Small, so that requests are split at every position. */
const PIECE_BYTES = 7;

export interface TestRequest {
  /** Bytes and text are sent as they are, anything else as JSON. */
  readonly body?: unknown;
  readonly query?: QueryValues;
  readonly params?: Readonly<Record<string, string>>;
  readonly version?: RequestedVersion;
  readonly explain?: boolean;
  /** The header that requests a recall. */
  readonly recall?: string;
  readonly aliases?: SharedAliases;
  /** What the memory for responses holds. */
  readonly answerBytesMax?: number;
}

export interface TestReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly json: unknown;
}

export type Call = (endpointId: string, request?: TestRequest) => Promise<TestReply>;

export interface TestIndex {
  readonly name: string;
  readonly call: Call;
  /** Calls an endpoint with a body in the form of another wire. */
  readonly callOver: (
    wire: Wire,
    endpointId: string,
    body: Uint8Array,
    headers?: Pick<SentCall, 'recall'>,
  ) => Promise<DataAnswer>;
  readonly store: ReferenceIndex;
  readonly errors: readonly unknown[];
  readonly inference: TestInference;
}

/** An empty index, by default of dimension 3, and a way to call its endpoints, including their preprocessors. */
export function makeTestIndex(
  details: Partial<IndexProfile> = {},
  embed: IndexEmbedding | null = null,
): TestIndex {
  const inference = testInference();
  const index = sampleProfile({ dimension: details.vectorType === 'sparse' ? null : 3, ...details });
  const store = new ReferenceIndex(index);
  const errors: unknown[] = [];
  const tools = {
    reader: liveReader(store, index),
    writer: store,
    onError: (error: unknown) => errors.push(error),
  };
  const access = mintProjectAccess({ organizationId: 'o', projectId: index.projectId, principalId: 'k' });
  return {
    name: index.name,
    store,
    errors,
    inference,
    callOver: async (wire, endpointId, body, headers = {}) => {
      const sent = { access, version: null, index, params: {}, query: {}, body, ...headers };
      return (await runDataEndpoint(endpointOf(endpointId), sent, { ...tools, wire })).answer;
    },
    call: async (
      endpointId,
      {
        body,
        query = {},
        params = {},
        version = null,
        explain = false,
        recall,
        aliases,
        answerBytesMax,
      } = {},
    ) => {
      const endpoint = endpointOf(endpointId);
      const run = async (pieces: readonly Uint8Array[]): Promise<DataAnswer> => {
        const sent = { access, version, index, params, query, body: Buffer.concat(pieces), explain };
        const asked = {
          ...sent,
          ...(recall !== undefined && { recall }),
          ...(aliases !== undefined && { aliases }),
          ...(answerBytesMax !== undefined && { answerBytesMax }),
        };
        return (await runDataEndpoint(endpoint, asked, tools)).answer;
      };
      const preprocess = dataRoutes.find(({ id }) => id === endpointId)?.preprocess;
      const { signal } = new AbortController();
      const { id, name, dimension, documents } = index;
      const seen = { id, name, dimension, documents, embed };
      const reply =
        preprocess === undefined
          ? await run([bytesOf(body)])
          : await preprocess({
              ...{ index: seen, params, body: piecesOf(body), inference, signal, run },
              namespaces: requestNamespaces(aliases, endpoint.aliasRefusal),
            }).catch(refusalOf(endpoint.errors));
      const text = typeof reply.body === 'string' ? reply.body : new TextDecoder().decode(reply.body);
      return {
        status: reply.status,
        headers: reply.headers,
        text,
        json: text === '' ? null : JSON.parse(text),
      };
    },
  };
}

function endpointOf(endpointId: string): DataEndpoint {
  const endpoint = dataEndpoints.find(({ id }) => id === endpointId);
  assert.ok(endpoint, `no endpoint ${endpointId}`);
  return endpoint;
}

/** The error body of vectors and records operations. */
export function dataError(details: { status: number; name: string; code: number }, message: string) {
  const { status, name, code } = details;
  return { status, error: { code: name, message }, ...rpcError(message, code) };
}

/** The error body of namespace operations. @param code by default that of an invalid argument */
export function rpcError(message: string, code = 3) {
  return { code, message, details: [] };
}

/** Upserts into a namespace and checks that it worked. */
export async function store(call: Call, vectors: readonly object[], namespace = ''): Promise<void> {
  const reply = await call('upsert_vectors', { body: { vectors, namespace } });
  assert.equal(reply.text, `{"upsertedCount":${vectors.length}}`);
}

/** Asserts status 400, code 3 and the message of a refusal. */
export async function assertRefused(reply: Promise<TestReply>, message: string | RegExp): Promise<void> {
  const { status, json } = await reply;
  const body = json as { readonly code: number; readonly message: string; readonly details: unknown };
  assert.equal(status, 400);
  assert.deepEqual([body.code, body.details], [3, []]);
  if (typeof message === 'string') assert.equal(body.message, message);
  else assert.match(body.message, message);
}

/** Answers as the server does when a preprocessor throws. */
function refusalOf(errors: ErrorFamily): (error: unknown) => DataAnswer {
  return (error) => {
    if (!(error instanceof Fault)) throw error;
    return {
      status: error.status,
      headers: faultHeaders(error),
      body: JSON.stringify(faultBody(errors, error)),
    };
  };
}

/** Yields a body as a slow client sends it. */
async function* piecesOf(body: unknown): AsyncGenerator<Uint8Array> {
  const bytes = bytesOf(body);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  if (body === undefined) return new Uint8Array(0);
  return new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body));
}
