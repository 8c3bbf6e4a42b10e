// Recognizes gRPC requests and passes them to their application, which the first of them creates.

import type { FastifyInstance } from 'fastify';
import type { GrpcAppOptions } from '../grpc/grpc-app.ts';
import { passTo } from './pass-to.ts';
import type { AnyRequest, AnyResponse } from './protocol-handlers.ts';

export interface GrpcDispatcher {
  dispatch(request: AnyRequest, response: AnyResponse): void;
}

/** Most servers never receive gRPC, so the application is created on first use rather than at start. */
export function createGrpcDispatcher(options: GrpcAppOptions): GrpcDispatcher {
  let opening: Promise<FastifyInstance> | undefined;
  const open = async () => {
    const { createGrpcApp } = await import('../grpc/grpc-app.ts');
    const app = createGrpcApp(options);
    await app.ready();
    return app;
  };
  return {
    dispatch: (request, response) => {
      opening ??= open();
      opening.then(
        (app) => passTo(app, request, response),
        (error) => {
          options.context.logger.error({ err: error }, 'the gRPC application failed to start');
          response.destroy();
        },
      );
    },
  };
}
