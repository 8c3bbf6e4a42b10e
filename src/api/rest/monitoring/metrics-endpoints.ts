// The endpoints of monitoring, as the reference shows them, and what discovery answers. The server has the routes:
// unlike others they take the key as Prometheus sends it, and answer text.
import type { Permission } from '../../../domain/administration/permissions.ts';
import type { EndpointDetails } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';

/** Reading metrics of indexes requires the permission to list them. */
export const METRICS_PERMISSION: Permission = 'control_plane::indexes::list';

export const METRICS_PATH = '/metrics';

const KEY = 'Takes the API key as `Authorization: Bearer KEY`, as Prometheus sends it, or in `Api-Key`.';

const FACTS = {
  method: 'GET',
  tag: 'Monitoring',
  since: '2025-01',
  permission: METRICS_PERMISSION,
  errors: 'standard',
  credential: 'bearer-key',
  versioning: 'ignored',
} as const;

export const readMetricsEndpoint: EndpointDetails = {
  ...FACTS,
  id: 'read_metrics',
  path: METRICS_PATH,
  summary: 'Read metrics',
  description: `The metrics of the indexes of the key's project, of the engine's threads and of the process. ${KEY}`,
  success: {
    status: 200,
    description: 'Text in the Prometheus exposition format, version 0.0.4.',
    schema: Type.String({ examples: ['# TYPE pinyon_record_total gauge\n'] }),
    mediaType: 'text/plain',
  },
  faults: ['permission-denied'],
};

export const discoverMetricsEndpoint: EndpointDetails = {
  ...FACTS,
  id: 'discover_metrics',
  path: '/prometheus/projects/{project_id}/metrics/discover',
  summary: 'Discover metrics',
  description: `Where Prometheus finds the metrics of a project: for \`http_sd_configs\`. The path may also end in \`discovery\`. ${KEY}`,
  params: Type.Object({ project_id: Type.String({ format: 'uuid' }) }),
  success: {
    status: 200,
    description: 'The addresses to read metrics from.',
    schema: Type.Array(
      Type.Object({
        targets: Type.Array(Type.String({ description: 'Host and port.', examples: ['localhost:5080'] })),
        labels: Type.Record(Type.String(), Type.String(), { examples: [{ __metrics_path__: METRICS_PATH }] }),
      }),
    ),
  },
  faults: ['permission-denied', 'project-not-found'],
};

export const metricsEndpoints: readonly EndpointDetails[] = [readMetricsEndpoint, discoverMetricsEndpoint];

/** The discovery response: this server under the host name of the request, which evidently reaches it. */
export function discoveredTargets({ host, isTls }: { readonly host: string; readonly isTls: boolean }) {
  const labels = { __metrics_path__: METRICS_PATH, ...(isTls ? { __scheme__: 'https' } : {}) };
  return [{ targets: [host], labels }];
}
