// The application on the base address: control plane, inference, assistants, administration, identity, health checks
// and the OpenAPI documents.
import type { FastifyInstance } from 'fastify';
import type { ControlEndpoint, ControlServices } from '../api/endpoint.ts';
import type { AdminEndpoint, AdminServices } from '../api/rest/admin/admin-endpoint.ts';
import {
  type AssistantEndpoint,
  type AssistantServices,
  pathsOf,
} from '../api/rest/assistants/assistant-endpoint.ts';
import type { ConsoleEndpoint, ConsoleServices } from '../api/rest/console/console-endpoint.ts';
import type { IdentityEndpoint, IdentityServices } from '../api/rest/identity/identity-endpoint.ts';
import type { InferenceEndpoint, InferenceServices } from '../api/rest/inference/inference-endpoint.ts';
import type { OpenAiEndpoint, OpenAiServices } from '../api/rest/openai/openai-endpoint.ts';
import type { ConsoleSessions } from '../app/access/console-sessions.ts';
import { type AppContext, createApp } from './app.ts';
import { addAdminRoutes } from './routes/admin-routes.ts';
import { addAssistantRoutes } from './routes/assistant-routes.ts';
import { addConsoleRoutes } from './routes/console-routes.ts';
import { addControlRoutes } from './routes/control-routes.ts';
import type { Address } from './routes/endpoint-paths.ts';
import { addIdentityRoutes } from './routes/identity-routes.ts';
import { addInferenceRoutes } from './routes/inference-routes.ts';
import { addOpenAiRoutes } from './routes/openai-routes.ts';

export interface BaseEndpoints {
  readonly control: readonly ControlEndpoint[];
  readonly inference: readonly InferenceEndpoint[];
  readonly assistant: readonly AssistantEndpoint[];
  readonly openai: readonly OpenAiEndpoint[];
  readonly admin: readonly AdminEndpoint[];
  readonly identity: readonly IdentityEndpoint[];
  readonly console: readonly ConsoleEndpoint[];
}

export interface BaseServices {
  readonly control: ControlServices;
  readonly inference: InferenceServices;
  readonly assistant: AssistantServices;
  readonly openai: OpenAiServices;
  readonly admin: AdminServices;
  readonly identity: IdentityServices;
  readonly console: ConsoleServices;
}

export interface ControlAppOptions {
  readonly context: AppContext;
  readonly endpoints: BaseEndpoints;
  readonly services: BaseServices;
  readonly sessions: ConsoleSessions;
  /** The addresses of routes that describe adds. */
  readonly addresses?: readonly Address[];
  /** Adds the routes that describe the interface. */
  readonly describe: (app: FastifyInstance) => void;
}

export function createControlApp({
  context,
  endpoints,
  services,
  sessions,
  addresses = [],
  describe,
}: ControlAppOptions): FastifyInstance {
  const { control, inference, assistant, openai, admin, identity, console } = endpoints;
  const bothPrefixes = assistant.flatMap((each) =>
    pathsOf(each).map((path) => ({ method: each.method, path, errors: each.errors })),
  );
  const app = createApp(context, {
    addresses: [
      ...control,
      ...inference,
      ...bothPrefixes,
      ...openai,
      ...admin,
      ...identity,
      ...console,
      ...addresses,
    ],
  });
  describe(app);
  addControlRoutes({ app, context, endpoints: control, services: services.control });
  addInferenceRoutes({ app, context, endpoints: inference, services: services.inference });
  addAssistantRoutes({ app, context, endpoints: assistant, services: services.assistant });
  addOpenAiRoutes({ app, context, endpoints: openai, services: services.openai });
  addAdminRoutes({ app, context, endpoints: admin, services: services.admin });
  addIdentityRoutes({ app, context, endpoints: identity, services: services.identity });
  addConsoleRoutes({ app, context, endpoints: console, services: services.console, sessions });
  return app;
}
