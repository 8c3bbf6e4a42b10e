// The gRPC application on index addresses: the methods of the services, with the steps and endpoints of REST.
import { Http2ServerResponse, type OutgoingHttpHeaders } from 'node:http2';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DataAnswer } from '../../api/data-request.ts';
import type { DataRoute, EndpointDetails } from '../../api/endpoint.ts';
import { countedBytes, FRAME_HEAD_BYTES } from '../../api/grpc/frame.ts';
import { GRPC_STATUS, OK, statusHeaders } from '../../api/grpc/grpc-status.ts';
import { RPCS, type Rpc, rpcPath } from '../../api/grpc/rpcs.ts';
import type { AliasCall } from '../../api/rest/aliases/alias-endpoint.ts';
import { aliasEndpoints } from '../../api/rest/aliases/alias-endpoints.ts';
import { refusesMoment } from '../../api/rest/records/as-of.ts';
import { fault } from '../../domain/faults.ts';
import { HEADER_QUOTED_CHARS_MAX, quoted } from '../../domain/quoted.ts';
import { createApp } from '../app.ts';
import type { ByteLease } from '../bodies/byte-budget.ts';
import {
  admitted,
  admittedPieces,
  DATA_BODY_BYTES_MAX,
  type DataServing,
  execute,
  leased,
  recallOf,
  visibleIndex,
} from '../data-requests.ts';
import { refusalIn } from '../refusal.ts';
import { RequestCount } from '../request-count.ts';
import { DURATION } from '../response-time.ts';
import { readTimeout, withinTime } from './grpc-timeout.ts';
import { type RpcExchange, runAliasMethod } from './run-alias-method.ts';

/** An endpoint of the data plane, or one that the main thread serves. */
type Served = EndpointDetails & Partial<Pick<DataRoute, 'queue'>>;

export interface GrpcAppOptions extends DataServing {
  /** Endpoints of the data plane. A method without its endpoint among them is not served. */
  readonly endpoints: readonly Served[];
  /** Without it, the service of namespace aliases is not served. */
  readonly bulk?: Pick<AliasCall, 'services'> | undefined;
}

interface Method {
  readonly endpoint: Served;
  /** Answers within the deadline of the request. */
  readonly run: (exchange: Exchange) => Promise<DataAnswer>;
}

type Exchange = Omit<RpcExchange, 'lease'>;

const FRAME_BYTES_MAX = FRAME_HEAD_BYTES + DATA_BODY_BYTES_MAX;
const ENCODINGS = ['identity', 'gzip'];
const HEADERS = { 'content-type': 'application/grpc', 'grpc-accept-encoding': ENCODINGS.join(',') };

/** For HTTP/2 only. Callers make it ready with `ready()`. */
export function createGrpcApp(serving: GrpcAppOptions): FastifyInstance {
  const { context } = serving;
  const app = createApp(context, {
    addresses: [],
    isAtIndex: true,
    admit: (request) => {
      refuseEncoding(request);
      request.index = visibleIndex(request, serving);
    },
    refusals: {
      missing: (path) => fault('unimplemented', { reason: `${path} is not a method of this service` }),
      send: (reply, fault) => sendRefusal(reply, statusHeaders(fault)),
    },
  });
  for (const rpc of RPCS) {
    const method = methodOf(serving, rpc);
    if (method === null) continue;
    const { endpoint, run } = method;
    app.route({
      method: 'POST',
      url: rpcPath(rpc),
      config: { endpoint, refusesMoment: refusesMoment(endpoint) },
      handler: (request, reply) => answer(run, { request, reply }),
    });
  }
  return app;
}

/** Null if the method is not served. */
function methodOf({ endpoints, bulk, ...serving }: GrpcAppOptions, rpc: Rpc): Method | null {
  const endpoint = endpoints.find(({ id }) => id === rpc.endpointId);
  if (endpoint !== undefined) return { endpoint, run: (exchange) => runData(serving, rpc, exchange) };
  const aliasEndpoint = aliasEndpoints.find(({ id }) => id === rpc.endpointId);
  if (aliasEndpoint === undefined || bulk === undefined) return null;
  const method = { ...serving, services: bulk.services, rpc, endpoint: aliasEndpoint };
  const run = (exchange: Exchange) =>
    inTime(serving, exchange, (lease) => runAliasMethod(method, { ...exchange, lease }));
  return { endpoint: aliasEndpoint, run };
}

/** Passes the frame to the engine as it came. */
function runData(
  serving: DataServing,
  { endpointId, name }: Rpc,
  { request, reply }: Exchange,
): Promise<DataAnswer> {
  const count = new RequestCount(serving, request, endpointId);
  const answered = async (lease: ByteLease) => {
    const bounds = { bytesMax: FRAME_BYTES_MAX, lease, countedBytes };
    const body = await count.read(admittedPieces(serving.context, request, bounds));
    const call = { endpointId, params: {}, query: {}, body, rpc: name, ...recallOf(request) };
    const work = () => execute(serving, { request, reply, count }, call);
    return admitted(serving, request, { endpointId, work });
  };
  return count.of(() => inTime(serving, { request, reply }, answered));
}

/** Runs work that holds a message, until the deadline of its request. @throws deadline-exceeded; as `leased` */
async function inTime(
  { context }: Pick<DataServing, 'context'>,
  { request, reply }: Exchange,
  work: (lease: ByteLease) => Promise<DataAnswer>,
): Promise<DataAnswer> {
  const timeoutMs = readTimeout(request.headers['grpc-timeout']);
  // The memory of a message counts until the engine is done with it, even if the client has stopped waiting.
  return withinTime(timeoutMs, leased(context, reply, work));
}

async function answer(run: Method['run'], { request, reply }: Exchange): Promise<FastifyReply> {
  const given = await run({ request, reply });
  const { headers, body } = given;
  request.refusal = refusalIn(given);
  if (headers[GRPC_STATUS] !== undefined) {
    sendRefusal(reply, headers);
    return reply;
  }
  const trailers = { [GRPC_STATUS]: OK, [DURATION]: reply.elapsedTime.toFixed(0) };
  http2Of(reply).addTrailers({ ...trailers, ...headers });
  return reply
    .code(200)
    .headers({ ...HEADERS, ...headers })
    .send(body);
}

/** Responds with headers alone (Trailers-Only): clients may retry after one, but not once a message has begun. */
function sendRefusal(reply: FastifyReply, headers: Readonly<Record<string, string>>): void {
  const { stream } = http2Of(reply);
  reply.headers({ ...HEADERS, ...headers, [DURATION]: reply.elapsedTime.toFixed(0) });
  reply.hijack();
  if (stream.destroyed || stream.headersSent) return;
  // Fastify's type admits numbers where Node's does not; both write them alike.
  const all: OutgoingHttpHeaders = { ...(reply.getHeaders() as OutgoingHttpHeaders), ':status': 200 };
  stream.respond(all, { endStream: true });
}

/** The dispatcher passes on HTTP/2 only. */
function http2Of({ raw }: FastifyReply): Http2ServerResponse {
  if (raw instanceof Http2ServerResponse) return raw;
  throw new Error('a gRPC request came over HTTP/1.1');
}

/** @throws unimplemented, as the gRPC specification requires */
function refuseEncoding({ headers }: FastifyRequest): void {
  const encoding = String(headers['grpc-encoding'] ?? 'identity');
  if (ENCODINGS.includes(encoding)) return;
  const reason = `grpc-encoding '${quoted(encoding, HEADER_QUOTED_CHARS_MAX)}' is not supported; send gzip or none`;
  throw fault('unimplemented', { reason });
}
