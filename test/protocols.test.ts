// What speaks on a port: HTTP/1.1, plaintext HTTP/2 and gRPC clients, on the base port and on index ports.
import assert from 'node:assert/strict';
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import { after, before, describe, it } from 'node:test';
import { UNAUTHENTICATED } from './support/bodies.ts';
import { call } from './support/call.ts';
import { API_KEY, type Service, startService } from './support/service.ts';

interface Http2Answer {
  readonly headers: IncomingHttpHeaders & { ':status'?: number | undefined };
  readonly text: string;
}

describe('one port', () => {
  let service: Service;
  let host: string;
  before(async () => {
    service = await startService();
    host = await service.createIndex({ name: 'wire', dimension: 2 });
  });
  after(() => service.dispose());

  async function withSession<Result>(base: string, use: (session: ClientHttp2Session) => Promise<Result>) {
    const session = connect(base);
    try {
      return await use(session);
    } finally {
      session.close();
    }
  }

  function ask(
    session: ClientHttp2Session,
    headers: Readonly<Record<string, string>>,
    body?: string,
  ): Promise<Http2Answer> {
    return new Promise((resolve, reject) => {
      const stream = session.request(headers);
      let answered: Http2Answer['headers'] = {};
      let text = '';
      stream.once('response', (received) => {
        answered = received;
      });
      stream.setEncoding('utf8');
      stream.on('data', (chunk) => {
        text += chunk;
      });
      stream.once('end', () => resolve({ headers: answered, text }));
      stream.once('error', reject);
      stream.end(body);
    });
  }

  it('serves HTTP/2 with prior knowledge beside HTTP/1.1, on index ports and the base port', async () => {
    const upsert = JSON.stringify({ vectors: [{ id: 'a', values: [1, 2] }] });
    await withSession(host, async (session) => {
      const headers = { ':method': 'POST', ':path': '/vectors/upsert', 'api-key': API_KEY };
      const answer = await ask(session, { ...headers, 'content-type': 'application/json' }, upsert);
      assert.deepEqual([answer.headers[':status'], answer.text], [200, '{"upsertedCount":1}']);
      const many = Array.from({ length: 50 }, () =>
        ask(session, { ':path': '/vectors/fetch?ids=a', 'api-key': API_KEY }),
      );
      for (const { headers, text } of await Promise.all(many)) {
        assert.equal(headers[':status'], 200, text);
        assert.deepEqual(JSON.parse(text).vectors.a.values, [1, 2]);
      }
    });
    const listed = await withSession(service.url, (session) =>
      ask(session, { ':path': '/indexes', 'api-key': API_KEY }),
    );
    assert.equal(listed.headers[':status'], 200);
    const older = await call(host, 'GET', '/vectors/fetch?ids=a', { key: API_KEY });
    assert.equal(older.status, 200);
  });

  it('checks the key of HTTP/2 requests too', async () => {
    const answer = await withSession(host, (session) => ask(session, { ':path': '/vectors/list' }));
    assert.deepEqual([answer.headers[':status'], JSON.parse(answer.text)], [401, UNAUTHENTICATED]);
  });

  it('responds to gRPC clients over gRPC', async () => {
    const answer = await withSession(host, (session) =>
      ask(session, {
        ':method': 'POST',
        ':path': '/VectorService/Query',
        'content-type': 'application/grpc',
        te: 'trailers',
        'api-key': API_KEY,
      }),
    );
    assert.equal(answer.headers[':status'], 200);
    assert.equal(answer.headers['content-type'], 'application/grpc');
    assert.equal(answer.headers['grpc-status'], '3');
    assert.equal(answer.headers['grpc-message'], 'The request holds no whole message');
  });

  it('responds with a request id and JSON in UTF-8', async () => {
    const { headers } = await call(host, 'POST', '/query', {
      key: API_KEY,
      body: { vector: [1, 2], topK: 1 },
    });
    assert.equal(headers['content-type'], 'application/json; charset=utf-8');
    assert.ok(headers['x-request-id']);
    assert.equal(headers['x-request-id'], headers['x-pinecone-request-id']);
  });

  it('serves /health without a key', async () => {
    const answer = await call(service.url, 'GET', '/health');
    assert.deepEqual([answer.status, answer.body], [200, { status: 'ok' }]);
  });
});
