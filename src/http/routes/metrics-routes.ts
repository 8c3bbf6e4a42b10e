// Routes of monitoring: the metrics, and the targets for Prometheus service discovery.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  discoveredTargets,
  discoverMetricsEndpoint,
  METRICS_PATH,
  METRICS_PERMISSION,
  readMetricsEndpoint,
} from '../../api/rest/monitoring/metrics-endpoints.ts';
import { metricFamilies, readProcess } from '../../app/monitoring/metric-families.ts';
import { type OperatorReading, operatorFamilies } from '../../app/monitoring/operator-families.ts';
import { type Family, PROMETHEUS_TYPE, prometheusText } from '../../app/monitoring/prometheus-text.ts';
import {
  type MetricsReading,
  type MetricsScope,
  type MetricsSources,
  readMetrics,
  withoutCatalog,
} from '../../app/monitoring/read-metrics.ts';
import type { ProjectAccess } from '../../domain/access.ts';
import { masking } from '../../domain/administration/authorize.ts';
import type { PermissionSet } from '../../domain/administration/permissions.ts';
import { Fault, fault, invalid } from '../../domain/faults.ts';
import { routerPath } from './endpoint-paths.ts';
import { urlFields } from './request-fields.ts';

export interface MetricsRoutesOptions {
  readonly sources: MetricsSources;
  /** The holder of a presented API key; undefined if it is missing or unknown. */
  readonly keyHolder: (presented: string | undefined) => KeyHolder | undefined;
  /** Counts a request of a key, as for every other route. @throws rate-exceeded */
  readonly admitRequest: (access: ProjectAccess) => void;
  /** For the operator: admits to the metrics of all projects and of the machine. */
  readonly operator: {
    readonly isKey: (presented: string | undefined) => boolean;
    /** Tells less while the catalog does not answer. */
    readonly read: (how?: { readonly isCatalogAway?: boolean }) => Promise<OperatorReading>;
  };
  /** @throws database-unavailable while this node does not know what the others have changed */
  readonly requireCurrent?: () => void;
}

export interface KeyHolder {
  readonly access: ProjectAccess;
  readonly permissions: PermissionSet;
}

/** Adds the routes. They authenticate themselves, because Prometheus sends keys as bearer tokens. */
export function addMetricsRoutes(
  app: FastifyInstance,
  { sources, operator, requireCurrent, ...admission }: MetricsRoutesOptions,
): void {
  const read = shared((scope) => readMetrics(sources, scope));
  /** Families that need the catalog are left out where it does not answer, when the others are needed most. */
  const operatorFigures = async (): Promise<readonly Family[]> => {
    try {
      requireCurrent?.();
      const reading = await read(null);
      const more = operatorFamilies(await operator.read(), reading.indexes);
      return [...metricFamilies(reading, readProcess()), ...more];
    } catch (error) {
      if (!isCatalogAway(error)) throw error;
      const reading = await readMetrics(withoutCatalog(sources), null);
      const more = operatorFamilies(await operator.read({ isCatalogAway: true }), []);
      return [...metricFamilies(reading, readProcess()), ...more];
    }
  };
  const config = { open: true, whileBehind: true, endpoint: readMetricsEndpoint };
  app.get(METRICS_PATH, { config }, async (request, reply) => {
    if (operator.isKey(presentedKey(request)))
      return reply.type(PROMETHEUS_TYPE).send(prometheusText(await operatorFigures()));
    requireCurrent?.();
    const reading = await read(admitted(request, admission));
    return reply.type(PROMETHEUS_TYPE).send(prometheusText(metricFamilies(reading, readProcess())));
  });
  const discover = async (request: FastifyRequest) => {
    const { projectId } = admitted(request, admission);
    const { project_id: id = '' } = urlFields(request).params;
    // Another project's id looks like an unknown one.
    if (id !== projectId) throw masking(fault('project-not-found', { id }), METRICS_PERMISSION);
    if (!request.host) throw invalid('The request has no Host header.');
    return discoveredTargets({ host: request.host, isTls: request.protocol === 'https' });
  };
  const options = { config: { open: true, endpoint: discoverMetricsEndpoint } };
  const path = routerPath(discoverMetricsEndpoint.path);
  app.get(path, options, discover);
  // The published OpenAPI document names one path, the documentation the other.
  app.get(path.replace(/discover$/, 'discovery'), options, discover);
}

/** True where the database of the catalog does not answer, or the disk below its file does not. */
function isCatalogAway(error: unknown): boolean {
  return (
    error instanceof Fault &&
    (error.condition === 'database-unavailable' || error.condition === 'storage-full')
  );
}

/** @throws unauthenticated, permission-denied, rate-exceeded */
function admitted(
  request: FastifyRequest,
  { keyHolder, admitRequest }: Pick<MetricsRoutesOptions, 'keyHolder' | 'admitRequest'>,
): ProjectAccess {
  const holder = keyHolder(presentedKey(request));
  if (holder === undefined) throw fault('unauthenticated');
  const { organizationId, principalId } = holder.access;
  // The request log and the audit log name the caller.
  request.caller = { principal: { type: 'api_key', id: principalId }, organizationId, project: holder };
  request.access = holder.access;
  if (!holder.permissions.has(METRICS_PERMISSION)) {
    throw fault('permission-denied', { permission: METRICS_PERMISSION });
  }
  admitRequest(holder.access);
  return holder.access;
}

function presentedKey({ headers }: FastifyRequest): string | undefined {
  const [, bearer] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
  const key = headers['api-key'];
  return bearer ?? (typeof key === 'string' ? key : undefined);
}

/** Shares one reading among concurrent requests of a project, because a reading queries every thread. */
function shared(
  read: (scope: MetricsScope) => Promise<MetricsReading>,
): (scope: MetricsScope) => Promise<MetricsReading> {
  const underWay = new Map<string | null, Promise<MetricsReading>>();
  return (scope) => {
    const projectId = scope?.projectId ?? null;
    const known = underWay.get(projectId);
    if (known !== undefined) return known;
    const reading = read(scope).finally(() => underWay.delete(projectId));
    underWay.set(projectId, reading);
    return reading;
  };
}
