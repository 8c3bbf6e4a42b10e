// Calls administration endpoints in tests as the server would, on a real catalog with two organizations.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Compile } from 'typebox/compile';
import { NodeService } from '../../../app/nodes/node-service.ts';
import { QuotaService } from '../../../app/quotas/quota-service.ts';
import type { AdministrationStore, Catalog } from '../../../catalog/port.ts';
import { openCatalog } from '../../../catalog/sqlite/open-catalog.ts';
import { mintOrganizationAccess } from '../../../domain/access.ts';
import { SYSTEM } from '../../../domain/administration/audit.ts';
import { forbidden, may, mayAnywhere, rightsOf } from '../../../domain/administration/authorize.ts';
import type { Grant, Invite, Principal } from '../../../domain/administration/model.ts';
import { PageCursors } from '../../../domain/administration/page-cursors.ts';
import type { Rights } from '../../../domain/administration/permissions.ts';
import type { Role } from '../../../domain/administration/roles.ts';
import { Fault, type FaultName } from '../../../domain/faults.ts';
import { newId } from '../../../domain/ids.ts';
import type { Index } from '../../../domain/index-model.ts';
import type { LogControl, LogLevel } from '../../../domain/log-level.ts';
import type { NodeAdministration } from '../../../domain/nodes/services.ts';
import type { QuotaAdministration } from '../../../domain/quotas.ts';
import type { QueryValues, Reply } from '../../endpoint.ts';
import type { AdminCall, AdminEndpoint } from '../admin/admin-endpoint.ts';

/** A caller: a principal and the organization its token names. */
export interface Someone {
  readonly organizationId: string;
  readonly principal: Principal;
}

export interface TestCall {
  readonly as?: Someone;
  readonly body?: unknown;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: QueryValues;
}

/** Conditions of every endpoint or of every body, which no endpoint lists. */
const COMMON: readonly FaultName[] = ['body-not-json'];
export const HOME = '-HomeOrganization';
export const ABROAD = '-ForeignOrganization';
const SECRET = new Uint8Array(32).fill(3);

export class AdminSurface {
  readonly catalog: Catalog;
  readonly owner: Someone;
  readonly foreigner: Someone;
  /** Moves the clock of the handlers forward, in milliseconds. */
  clockAhead = 0;
  readonly sent: Invite[] = [];
  readonly #folder: string;
  #level: LogLevel = 'info';
  readonly #log: LogControl = {
    organizationId: HOME,
    configured: 'info',
    current: () => this.#level,
    set: (level) => {
      this.#level = level;
    },
  };
  /** The indexes that can be moved. */
  readonly indexes: Index[] = [];
  readonly #nodes: NodeAdministration;
  readonly #cursors = new PageCursors(SECRET, () => this.now().getTime());

  private constructor(folder: string, catalog: Catalog, people: { owner: Someone; foreigner: Someone }) {
    this.#folder = folder;
    this.catalog = catalog;
    this.owner = people.owner;
    this.foreigner = people.foreigner;
    this.#nodes = new NodeService({
      catalog,
      jobs: { enqueue: (job) => catalog.jobs.insert(job), wake: () => undefined },
      organizationId: HOME,
      nodeId: 'node-one',
      store: catalog.nodes,
      createCopy: () => Promise.resolve(),
      indexByName: (projectId, name) =>
        this.indexes.find((index) => index.projectId === projectId && index.name === name),
      allIndexes: () => this.indexes,
    });
  }

  static async make(): Promise<AdminSurface> {
    const folder = await mkdtemp(join(tmpdir(), 'pinyon-admin-'));
    const catalog = await openCatalog({ path: join(folder, 'catalog.db') });
    const createdAt = new Date().toISOString();
    await catalog.administration.organizations.create({ id: HOME, name: 'Home', createdAt }, SYSTEM);
    await catalog.administration.organizations.create({ id: ABROAD, name: 'Abroad', createdAt }, SYSTEM);
    const owner = await newAccount(catalog.administration, HOME, [organizationRole(HOME, 'OrgOwner')]);
    const foreigner = await newAccount(catalog.administration, ABROAD, [
      organizationRole(ABROAD, 'OrgOwner'),
    ]);
    return new AdminSurface(folder, catalog, { owner, foreigner });
  }

  now(): Date {
    return new Date(Date.now() + this.clockAhead);
  }

  /** A service account of the home organization with these roles. */
  someone(...grants: readonly Grant[]): Promise<Someone> {
    return newAccount(this.catalog.administration, HOME, grants);
  }

  /** The caller's present rights. */
  async rightsOf({ organizationId, principal }: Someone): Promise<Rights> {
    const { items } = await this.catalog.administration.roleBindings.list(organizationId, {
      limit: 1_000,
      after: null,
      principalType: principal.type,
      principalId: principal.id,
      visible: 'all',
    });
    return rightsOf(items);
  }

  /** Calls an endpoint, and checks the answer against its schema. */
  async call(endpoint: AdminEndpoint, call: TestCall = {}): Promise<Reply> {
    const reply = await this.#handle(endpoint, call);
    assert.equal(reply.status, endpoint.success.status);
    const body = reply.body === undefined ? undefined : JSON.parse(JSON.stringify(reply.body));
    const { schema } = endpoint.success;
    if (schema === undefined) assert.equal(body, undefined);
    else assert.deepEqual([...Compile(schema).Errors(body)], []);
    return body === undefined ? reply : { ...reply, body };
  }

  /** The body of the answer. */
  async body<Body>(endpoint: AdminEndpoint, call: TestCall = {}): Promise<Body> {
    return (await this.call(endpoint, call)).body as Body;
  }

  /** Asserts the refusal, and that the endpoint lists its condition; resolves to its message. */
  async refuses(endpoint: AdminEndpoint, call: TestCall, condition: FaultName): Promise<string> {
    const refusal = await this.refusal(endpoint, call);
    assert.equal(refusal.condition, condition, `${endpoint.id}: ${refusal.message}`);
    assert.ok(
      [...COMMON, ...endpoint.faults].includes(condition),
      `${endpoint.id} does not list ${condition}`,
    );
    return refusal.message;
  }

  async refusal(endpoint: AdminEndpoint, call: TestCall): Promise<Fault> {
    const outcome = await this.#handle(endpoint, call).then(
      (reply) => JSON.stringify(reply),
      (error: unknown) => error,
    );
    if (outcome instanceof Fault) return outcome;
    throw outcome instanceof Error
      ? outcome
      : new Error(`${endpoint.id} was not refused: ${String(outcome)}`);
  }

  async dispose(): Promise<void> {
    await this.catalog.close();
    await rm(this.#folder, { recursive: true });
  }

  /** As after a restart, each time. */
  async #openQuotas(): Promise<QuotaAdministration> {
    const quotas = new QuotaService({
      store: this.catalog.administration.quotas,
      defaults: { project: {}, key: {} },
      usageOf: async () => ({ records: 0, storageMegabytes: 0, indexes: 0, files: 0 }),
      filesOf: async () => 0,
    });
    await quotas.load();
    return quotas;
  }

  async #handle(endpoint: AdminEndpoint, { as = this.owner, body, params = {}, query = {} }: TestCall) {
    const access = mintOrganizationAccess({ ...as, rights: await this.rightsOf(as) });
    const { permission, scope } = endpoint;
    const admitted =
      permission === null ||
      (scope === 'organization' ? may(access, permission) : mayAnywhere(access, permission));
    if (!admitted) throw forbidden(permission);
    const requestId = newId();
    const call: AdminCall = {
      access,
      actor: { ...as.principal, requestId },
      requestId,
      version: null,
      params,
      query,
      body,
      bodyText: '',
      services: {
        administration: this.catalog.administration,
        cursors: this.#cursors,
        invites: {
          linkOf: (invite) => `http://localhost/invites/${invite.id}/${invite.linkNumber}`,
          send: async (invite) => {
            this.sent.push(invite);
          },
        },
        quotas: await this.#openQuotas(),
        nodes: this.#nodes,
        log: this.#log,
        now: () => this.now(),
      },
    };
    return endpoint.handle(call);
  }
}

export function organizationRole(organizationId: string, role: Role): Grant {
  return { resourceType: 'organization', resourceId: organizationId, role };
}

export function projectRole(projectId: string, role: Role): Grant {
  return { resourceType: 'project', resourceId: projectId, role };
}

async function newAccount(
  store: AdministrationStore,
  organizationId: string,
  grants: readonly Grant[],
): Promise<Someone> {
  const id = newId();
  const createdAt = new Date().toISOString();
  const details = { id, organizationId, name: 'somebody', createdAt, updatedAt: createdAt };
  await store.serviceAccounts.create(
    { ...details, clientId: newId(), secretSha256: newId() },
    grants,
    SYSTEM,
  );
  return { organizationId, principal: { type: 'service_account', id } };
}
