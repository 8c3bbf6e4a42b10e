// Refusals over gRPC, whose status in HTTP is 200, are refusals to whoever watches.
import assert from 'node:assert/strict';
import { connect } from 'node:http2';
import { after, before, describe, it } from 'node:test';
import type { DataAnswer } from '../../api/data-request.ts';
import { statusHeaders } from '../../api/grpc/grpc-status.ts';
import { dataRoutes } from '../../api/rest/data-routes.ts';
import { fault, invalid } from '../../domain/faults.ts';
import type { SeenRequest } from '../../domain/live.ts';
import { overloaded } from '../../domain/overload.ts';
import type { SpanEnd, Tracing } from '../../platform/telemetry/tracing.ts';
import { until } from '../../platform/testing/until.ts';
import { KEY_A, startTestServer, type TestServer } from '../testing/start-test-server.ts';

const CONTEXT = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), isSampled: true, state: '' };
const BAD = invalid('Größe 3 expected, got 4');
const REFUSED: DataAnswer = {
  status: BAD.status,
  refusal: BAD.condition,
  headers: statusHeaders(BAD),
  body: '',
};
const DOWN = fault('model-unavailable', { model: 'm', reason: 'it is away' });

describe('gRPC refusals', () => {
  const seen: Omit<SeenRequest, 'number'>[] = [];
  const ends: SpanEnd[] = [];
  const tracing: Tracing = {
    start: () => ({ context: CONTEXT, end: (how = {}) => ends.push(how) }),
    close: async () => undefined,
  };
  let server: TestServer;
  before(async () => {
    server = await startTestServer({
      data: dataRoutes,
      tail: { add: (_, request) => seen.push(request) },
      tracing,
    });
  });
  after(() => server.server.stop());

  const watched = async (answer: () => Promise<DataAnswer>) => {
    seen.length = 0;
    ends.length = 0;
    server.executor.answer = answer;
    const session = connect(server.indexBase);
    const stream = session.request({
      ':method': 'POST',
      ':path': '/VectorService/Query',
      'content-type': 'application/grpc',
      te: 'trailers',
      'api-key': KEY_A,
    });
    stream.end(Buffer.alloc(5)).resume();
    await until(() => seen.length > 0 && ends.length > 0, 'the end of the request');
    session.close();
    return { status: seen[0]?.status, reason: seen[0]?.reason, span: ends.at(-1) };
  };

  it('have the status and reason of their fault in the live view', async () => {
    const refused = await watched(async () => REFUSED);
    assert.deepEqual([refused.status, refused.reason], [400, BAD.message]);
    const thrown = await watched(() => Promise.reject(overloaded()));
    assert.deepEqual([thrown.status, thrown.reason], [429, overloaded().message]);
    const answered = await watched(async () => ({ status: 200, headers: {}, body: new Uint8Array(5) }));
    assert.deepEqual([answered.status, answered.reason], [200, null]);
  });

  it('are errors in traces, and failures where the fault is of the server', async () => {
    const { span } = await watched(async () => REFUSED);
    assert.equal(span?.failure, undefined);
    assert.partialDeepStrictEqual(span?.attributes, {
      'error.type': BAD.condition,
      'http.response.status_code': 200,
      'rpc.grpc.status_code': 3,
    });
    const failed = await watched(() => Promise.reject(DOWN));
    assert.equal(failed.span?.failure, 'model-unavailable');
    const broken = await watched(() => Promise.reject(new Error('a thread died')));
    assert.equal(broken.span?.failure, 'internal');
  });
});
