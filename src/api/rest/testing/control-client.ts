// Calls control endpoints in tests as the server would, on a real catalog.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Compile } from 'typebox/compile';
import { BackupHost, type Running } from '../../../app/backups/testing/backup-host.ts';
import type { OpenIndexLifecycle } from '../../../app/indexes/index-lifecycle.ts';
import { OWNER } from '../../../app/indexes/testing/control-plane.ts';
import { CheckService } from '../../../app/integrity/check-service.ts';
import { LiveService } from '../../../app/monitoring/live-service.ts';
import { MinuteSeries } from '../../../app/monitoring/minute-series.ts';
import { type OverviewParts, OverviewService } from '../../../app/monitoring/overview-service.ts';
import { RecentRequests } from '../../../app/monitoring/recent-requests.ts';
import { RequestMeter } from '../../../app/monitoring/request-meter.ts';
import { ReembedService } from '../../../app/reembedding/reembed-service.ts';
import type { ProjectAccess } from '../../../domain/access.ts';
import { PageCursors } from '../../../domain/administration/page-cursors.ts';
import type { RequestedVersion } from '../../../domain/api-version.ts';
import type { NamespaceBranches } from '../../../domain/branches/services.ts';
import type { ModelChanges } from '../../../domain/embedding/model-change-service.ts';
import type { TimeToLives } from '../../../domain/expiry/services.ts';
import { Fault, type FaultName } from '../../../domain/faults.ts';
import type { ChangeFeeds, IndexHistories } from '../../../domain/history/services.ts';
import type { MemoryProfiles } from '../../../domain/memory-profile.ts';
import type { RecallPromises } from '../../../domain/recall-promise.ts';
import type { IndexRecoveries } from '../../../domain/recovery/services.ts';
import { UNMEASURED } from '../../../engine/port/engine-metrics.ts';
import { testInference } from '../../../inference/testing/test-inference.ts';
import { untouched } from '../../../platform/testing/untouched.ts';
import type { ControlEndpoint, QueryValues, Reply } from '../../endpoint.ts';
import { createIndex } from '../indexes/create-index.ts';

export interface TestCall {
  /** JSON text, or a value to write as such. */
  readonly body?: unknown;
  readonly version?: RequestedVersion;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: QueryValues;
  readonly access?: ProjectAccess;
}

/** Every index has three records that nobody has read yet. */
const COUNTING: OverviewParts['engine'] = {
  metrics: async (profiles) => ({
    indexes: profiles.map(({ id }) => ({ indexId: id, records: null, bytesOnDisk: 4_096, ...UNMEASURED })),
    threads: [],
  }),
  sizeOf: async () => ({ records: 3, bytes: 4_096 }),
};

export class ControlSurface {
  readonly host: BackupHost;
  readonly running: Running;
  readonly inference = testInference();

  readonly #cursors = new PageCursors(randomBytes(32));
  readonly #reembeddings: ReembedService;
  readonly #checks: CheckService;
  readonly #overviews: OverviewService;
  readonly #live: LiveService;
  /** Counts what a live view shows. */
  readonly series = new MinuteSeries();
  readonly requests = new RecentRequests();

  private constructor(host: BackupHost, running: Running) {
    this.host = host;
    this.running = running;
    const { catalog } = host.plane;
    const { jobs } = catalog;
    const meter = new RequestMeter(() => true);
    const { directory } = running.indexes;
    this.#overviews = new OverviewService({
      ...{ ...running, directory, meter, jobs, engine: COUNTING },
      warnings: async () => ['a warning'],
    });
    this.#live = new LiveService({ ...running, series: this.series, requests: this.requests });
    this.#checks = new CheckService({ ...running, catalog });
    this.#reembeddings = new ReembedService({ ...running, catalog, inference: this.inference });
  }

  static async make(): Promise<ControlSurface> {
    const host = await BackupHost.make();
    return new ControlSurface(host, await host.start());
  }

  get indexes(): OpenIndexLifecycle {
    return this.running.indexes;
  }

  /** Calls an endpoint, and checks the answer against its schema. */
  async call(endpoint: ControlEndpoint, call: TestCall = {}): Promise<Reply> {
    const { body, version = '2025-10', params = {}, query = {}, access = OWNER } = call;
    const bodyText = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
    const reply = await endpoint.handle({
      access,
      version,
      params,
      query,
      body: bodyText === '' ? undefined : JSON.parse(bodyText),
      bodyText,
      services: {
        ...this.running,
        catalog: this.host.plane.catalog,
        inference: this.inference,
        reembeddings: this.#reembeddings,
        modelChanges: untouched<ModelChanges>(),
        checks: this.#checks,
        timeToLives: untouched<TimeToLives>(),
        recallPromises: untouched<RecallPromises>(),
        memoryProfiles: untouched<MemoryProfiles>(),
        histories: untouched<IndexHistories>(),
        feeds: untouched<ChangeFeeds>(),
        branches: untouched<NamespaceBranches>(),
        recoveries: untouched<IndexRecoveries>(),
        overviews: this.#overviews,
        live: this.#live,
        tools: { mode: 'off', tools: [], assistantTools: [] },
        cursors: this.#cursors,
      },
      signal: new AbortController().signal,
    });
    if ('content' in reply) return { status: reply.status, body: await textOf(reply.content) };
    assert.equal(reply.status, endpoint.success.status);
    const { schema } = endpoint.success;
    if (schema === undefined) assert.equal(reply.body, undefined);
    else assert.deepEqual([...Compile(schema).Errors(reply.body)], []);
    // A client receives JSON, which has no undefined members.
    return reply.body === undefined ? reply : { ...reply, body: JSON.parse(JSON.stringify(reply.body)) };
  }

  /** Returns the answer to a creation without its host, and removes the index again, because ports are few. */
  async created(body: object, version: RequestedVersion): Promise<Readonly<Record<string, unknown>>> {
    const reply = await this.call(createIndex, { body, version });
    const { host, ...index } = reply.body as Readonly<Record<string, unknown>>;
    assert.match(String(host), /^http:\/\/localhost:50\d\d$/);
    await this.indexes.remove(OWNER, String(index.name));
    return index;
  }

  /** Asserts that the call is refused with exactly this, and that the endpoint lists the condition. */
  async refuses(endpoint: ControlEndpoint, call: TestCall, expected: ExpectedFault): Promise<void> {
    await assert.rejects(this.call(endpoint, call), (error: unknown) => {
      assert.ok(error instanceof Fault, String(error));
      const { condition, status, code, message } = error;
      assert.deepEqual({ condition, status, code, message }, expected);
      assert.ok(endpoint.faults.includes(condition), `${endpoint.id} does not list ${condition}`);
      return true;
    });
  }

  dispose(): Promise<void> {
    return this.host.dispose();
  }
}

export interface ExpectedFault {
  readonly condition: FaultName;
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

export function badArgument(message: string): ExpectedFault {
  return { condition: 'invalid-argument', status: 400, code: 'INVALID_ARGUMENT', message };
}

export function undeserializable(reason: string): ExpectedFault {
  return {
    condition: 'body-not-deserializable',
    status: 422,
    code: 'UNPROCESSABLE_ENTITY',
    message: `Failed to deserialize the JSON body into the target type: ${reason}`,
  };
}

export function notFound(condition: FaultName, message: string): ExpectedFault {
  return { condition, status: 404, code: 'NOT_FOUND', message };
}

export const SERVERLESS = { serverless: { cloud: 'aws', region: 'us-east-1' } };

export const ON_DEMAND_ANSWER = {
  mode: 'OnDemand',
  status: { state: 'Ready', current_replicas: null, current_shards: null },
};

export const DEDICATED = {
  mode: 'Dedicated',
  dedicated: { node_type: 'b1', scaling: 'Manual', manual: { replicas: 2, shards: 1 } },
};

export const DEDICATED_ANSWER = {
  ...DEDICATED,
  status: { state: 'Ready', current_replicas: 2, current_shards: 1 },
};

let names = 0;

export function newName(): string {
  names += 1;
  return `index-${names}`;
}

async function textOf(content: AsyncIterable<Uint8Array | string>): Promise<string> {
  let text = '';
  for await (const piece of content) text += String(piece);
  return text;
}
