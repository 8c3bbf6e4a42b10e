// What an operator with an OpenTelemetry collector sees: the trace of each request under its caller's, and all metrics.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { call } from './support/call.ts';
import { ChatModelServer } from './support/chat-model.ts';
import { API_KEY, type Service, startService } from './support/service.ts';
import { found, until } from './support/until.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER_SPAN = '00f067aa0ba902b7';
const VERSION = '2025-10';

interface KeyValue {
  readonly key: string;
  readonly value: {
    readonly stringValue?: string;
    readonly intValue?: number;
    readonly doubleValue?: number;
  };
}
interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
}
interface SentMetric {
  readonly name: string;
  readonly sum?: { readonly dataPoints: readonly object[]; readonly isMonotonic: boolean };
  readonly gauge?: { readonly dataPoints: readonly object[] };
  readonly histogram?: { readonly dataPoints: readonly { readonly count: number }[] };
}

/** A collector on loopback that keeps what it is sent. */
class Collector {
  readonly spans: SentSpan[] = [];
  readonly resources: KeyValue[] = [];
  metrics: readonly SentMetric[] = [];
  readonly headers: IncomingHttpHeaders[] = [];
  readonly #server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
    this.headers.push(request.headers);
    for (const { resource, scopeSpans } of body.resourceSpans ?? []) {
      this.resources.push(...resource.attributes);
      for (const { spans } of scopeSpans) this.spans.push(...spans);
    }
    for (const { scopeMetrics } of body.resourceMetrics ?? []) {
      this.metrics = scopeMetrics.flatMap(({ metrics }: { metrics: readonly SentMetric[] }) => metrics);
    }
    response.setHeader('content-type', 'application/json');
    response.end('{}');
  });

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

const attributeOf = ({ attributes }: SentSpan, name: string) => {
  const { stringValue, intValue, doubleValue } = attributes.find(({ key }) => key === name)?.value ?? {};
  return stringValue ?? intValue ?? doubleValue;
};

describe('telemetry', () => {
  const collector = new Collector();
  const model = new ChatModelServer();
  let service: Service;
  let host: string;
  before(async () => {
    service = await startService({
      env: {
        PINYON_OTLP_URL: await collector.start(),
        PINYON_OTLP_SECONDS: '1',
        PINYON_LOG_LEVEL: 'info',
        PINYON_CHAT_URL: await model.start(),
        PINYON_CHAT_MODELS: '{"gpt-4o":"local"}',
        OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=abc',
        OTEL_SERVICE_NAME: 'films-search',
      },
    });
    const spec = { serverless: { cloud: 'aws', region: 'us-east-1' } };
    const body = { name: 'films', dimension: 2, metric: 'cosine', spec };
    const created = await service.call('POST', '/indexes', { body, version: VERSION });
    host = (created.body as { readonly host: string }).host;
  });
  after(async () => {
    await service.dispose();
    await model.stop();
    collector.stop();
  });

  it('continue the trace of the caller, with queue and engine and what the search did', async () => {
    await call(host, 'POST', '/vectors/upsert', {
      key: API_KEY,
      version: VERSION,
      body: { vectors: [{ id: 'a', values: [1, 0] }] },
    });
    const headers = { traceparent: `00-${TRACE}-${CALLER_SPAN}-01` };
    const body = { vector: [1, 0], topK: 1, namespace: 'HUSH' };
    await call(host, 'POST', '/query', { key: API_KEY, version: VERSION, body, headers });
    const inTrace = () => collector.spans.filter(({ traceId }) => traceId === TRACE);
    await until(() => inTrace().length === 3, 'the spans');
    const [server, queue, engine] = ['POST /query', 'queue', 'engine'].map((name) =>
      inTrace().find((span) => span.name === name),
    );
    assert.ok(server !== undefined && queue !== undefined && engine !== undefined);
    assert.equal(server.parentSpanId, CALLER_SPAN);
    assert.deepEqual([queue.parentSpanId, engine.parentSpanId], [server.spanId, server.spanId]);
    assert.equal(attributeOf(server, 'http.response.status_code'), 200);
    assert.equal(attributeOf(server, 'pinyon.index'), 'films');
    assert.equal(attributeOf(engine, 'pinyon.search.structure'), 'none');
    for (const part of [queue, engine]) {
      assert.ok(BigInt(part.startTimeUnixNano) >= BigInt(server.startTimeUnixNano) - 1_000_000n);
      assert.ok(BigInt(part.endTimeUnixNano) <= BigInt(server.endTimeUnixNano) + 1_000_000n);
    }
    assert.ok(!JSON.stringify(inTrace()).includes('HUSH'));
    assert.ok(!JSON.stringify(collector.spans).includes(API_KEY));
    assert.match(service.process.log, new RegExp(`"traceId":"${TRACE}"`));
  });

  it('record refusals, with their reason, and nothing of health checks', async () => {
    await call(service.url, 'GET', '/health', {});
    await service.call('GET', '/indexes/none', { version: VERSION });
    const refused = await found(async () =>
      collector.spans.find((span) => attributeOf(span, 'error.type') === 'index-not-found'),
    );
    assert.equal(attributeOf(refused, 'http.route'), '/indexes/:index_name');
    assert.ok(collector.spans.every(({ name }) => !name.includes('/health')));
  });

  it('pass the trace on to a language model, whose answer is a part of it', async () => {
    const traceId = 'a'.repeat(32);
    const { status } = await service.call('POST', '/v1/chat/completions', {
      headers: { traceparent: `00-${traceId}-${CALLER_SPAN}-01` },
      body: { model: 'gpt-4o', messages: [{ role: 'user', content: 'Who?' }] },
    });
    assert.equal(status, 200);
    const answered = await found(async () => collector.spans.find(({ name }) => name === 'answer local'));
    assert.equal(answered.traceId, traceId);
    assert.ok(String(model.asked[0]?.headers.traceparent).startsWith(`00-${traceId}-`));
  });

  it('send the metrics of the operator, counters, gauges and histograms', async () => {
    const metric = (name: string) => collector.metrics.find((each) => each.name === name);
    await until(
      () =>
        metric('pinyon_request_duration_seconds')?.histogram !== undefined &&
        metric('pinyon_disk_free_bytes') !== undefined,
      'the metrics',
    );
    assert.equal(metric('pinyon_request_engine_seconds_total')?.sum?.isMonotonic, true);
    assert.equal(metric('pinyon_build_info')?.gauge?.dataPoints.length, 1);
    const [first] = metric('pinyon_request_duration_seconds')?.histogram?.dataPoints ?? [];
    assert.ok((first?.count ?? 0) >= 1);
  });

  it('identify themselves as the standard variables say', async () => {
    assert.ok(collector.headers.every((headers) => headers['x-collector-key'] === 'abc'));
    const name = collector.resources.find(({ key }) => key === 'service.name');
    assert.equal(name?.value.stringValue, 'films-search');
  });
});

describe('telemetry to a collector that does not answer', () => {
  it('is told in the log, and holds up neither requests nor the stop', async () => {
    const service = await startService({
      env: {
        PINYON_OTLP_URL: 'http://127.0.0.1:9',
        PINYON_LOG_LEVEL: 'warn',
        OTEL_EXPORTER_OTLP_TIMEOUT: '1000',
      },
    });
    const { status } = await service.call('GET', '/indexes', { version: VERSION });
    assert.equal(status, 200);
    await until(() => service.process.log.includes('telemetry could not be sent'), 'the warning');
    const { code } = await service.stop();
    assert.equal(code, 0);
    await service.dispose();
  });
});

describe('telemetry of a server that stops', () => {
  it('ends with metrics that have the last requests', async (test) => {
    const collector = new Collector();
    test.after(() => collector.stop());
    const service = await startService({
      env: {
        PINYON_OTLP_URL: await collector.start(),
        PINYON_OTLP_SECONDS: '3600',
        PINYON_LOG_LEVEL: 'warn',
      },
    });
    test.after(() => service.dispose());
    const spec = { serverless: { cloud: 'aws', region: 'us-east-1' } };
    const body = { name: 'films', dimension: 2, metric: 'cosine', spec };
    const created = await service.call('POST', '/indexes', { body, version: VERSION });
    const { host } = created.body as { readonly host: string };
    const query = { vector: [1, 0], topK: 1 };
    await call(host, 'POST', '/query', { key: API_KEY, version: VERSION, body: query });
    assert.equal(collector.metrics.length, 0);
    const { code } = await service.stop();
    assert.equal(code, 0);
    const { histogram } =
      collector.metrics.find(({ name }) => name === 'pinyon_request_duration_seconds') ?? {};
    assert.equal(histogram?.dataPoints[0]?.count, 1);
    assert.doesNotMatch(service.process.log, /telemetry could not be sent/);
  });
});
