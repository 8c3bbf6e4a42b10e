// Every endpoint of the interface, as the documentation describes them.
import { adminEndpoints } from '../rest/admin-endpoints.ts';
import { aliasEndpoints } from '../rest/aliases/alias-endpoints.ts';
import { assistantEndpoints } from '../rest/assistant-endpoints.ts';
import { consoleEndpoints } from '../rest/console-endpoints.ts';
import { controlEndpoints } from '../rest/control-endpoints.ts';
import { dataEndpoints } from '../rest/data-endpoints.ts';
import { identityEndpoints } from '../rest/identity-endpoints.ts';
import { bulkEndpoints } from '../rest/import-export/bulk-endpoints.ts';
import { inferenceEndpoints } from '../rest/inference-endpoints.ts';
import { judgmentEndpoints } from '../rest/judgments/judgment-endpoints.ts';
import { mapEndpoints } from '../rest/maps/map-endpoints.ts';
import { mcpEndpoints } from '../rest/mcp/mcp-endpoint.ts';
import { metricsEndpoints } from '../rest/monitoring/metrics-endpoints.ts';
import { openAiEndpoints } from '../rest/openai-endpoints.ts';
import type { EndpointSets } from './planes.ts';

export const EVERY_ENDPOINT: EndpointSets = {
  control: [...controlEndpoints, ...metricsEndpoints, ...mcpEndpoints],
  data: [...dataEndpoints, ...bulkEndpoints, ...aliasEndpoints, ...mapEndpoints, ...judgmentEndpoints],
  inference: inferenceEndpoints,
  assistant: assistantEndpoints,
  openai: openAiEndpoints,
  admin: adminEndpoints,
  identity: identityEndpoints,
  console: consoleEndpoints,
};
