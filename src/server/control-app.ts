// The application on the base address: control plane, administration, identity, health, and the interface's description.
import type { FastifyInstance } from 'fastify';
import type { AdminEndpoint, AdminServices } from '../surfaces/admin/admin-endpoint.ts';
import type { ControlEndpoint, ControlServices } from '../surfaces/endpoint.ts';
import type { IdentityEndpoint, IdentityServices } from '../surfaces/identity/identity-endpoint.ts';
import { addAdminRoutes } from './admin-routes.ts';
import { type AppContext, createApp } from './app.ts';
import { addControlRoutes } from './control-routes.ts';
import { addIdentityRoutes } from './identity-routes.ts';

export interface BaseEndpoints {
  readonly control: readonly ControlEndpoint[];
  readonly admin: readonly AdminEndpoint[];
  readonly identity: readonly IdentityEndpoint[];
}

export interface BaseServices {
  readonly control: ControlServices;
  readonly admin: AdminServices;
  readonly identity: IdentityServices;
}

export interface ControlAppOptions {
  readonly context: AppContext;
  readonly endpoints: BaseEndpoints;
  readonly services: BaseServices;
  /** Adds the routes that describe the interface. */
  readonly describe: (app: FastifyInstance) => void;
}

export function createControlApp({
  context,
  endpoints,
  services,
  describe,
}: ControlAppOptions): FastifyInstance {
  const { control, admin, identity } = endpoints;
  const app = createApp(context, { addresses: [...control, ...admin, ...identity] });
  describe(app);
  addControlRoutes({ app, context, endpoints: control, services: services.control });
  addAdminRoutes({ app, context, endpoints: admin, services: services.admin });
  addIdentityRoutes({ app, context, endpoints: identity, services: services.identity });
  return app;
}
