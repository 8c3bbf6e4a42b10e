// The door for gRPC: tells its requests from the others, and opens its application for the first of them.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { GrpcAppOptions } from '../grpc/grpc-app.ts';
import type { AnyRequest, AnyResponse } from './protocol-handlers.ts';

const GRPC_TYPE = /^application\/grpc(\+proto)?\s*(;|$)/i;

/** Other subtypes, which hold other things than messages, are no methods of anything. */
export function isGrpc({ headers, httpVersionMajor }: AnyRequest): boolean {
  return httpVersionMajor === 2 && GRPC_TYPE.test(headers['content-type'] ?? '');
}

export interface GrpcDoor {
  pass(request: AnyRequest, response: AnyResponse): void;
}

/** Most servers are never asked over gRPC; their start does not wait for its application. */
export function openGrpcDoor(options: GrpcAppOptions): GrpcDoor {
  let opening: Promise<FastifyInstance> | undefined;
  const open = async () => {
    const { createGrpcApp } = await import('../grpc/grpc-app.ts');
    const app = createGrpcApp(options);
    await app.ready();
    return app;
  };
  return {
    pass: (request, response) => {
      opening ??= open();
      opening.then(
        (app) => app.routing(request as IncomingMessage, response as ServerResponse),
        (error) => {
          options.context.logger.error({ err: error }, 'gRPC could not be opened');
          response.destroy();
        },
      );
    },
  };
}
