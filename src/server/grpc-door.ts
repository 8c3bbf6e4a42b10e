// The door for gRPC: its requests are recognised and told politely that nothing serves them.
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { RPC_CODES } from '../domain/faults.ts';

export function isGrpc(request: Http2ServerRequest): boolean {
  return request.headers['content-type']?.startsWith('application/grpc') ?? false;
}

/** A trailers-only answer, which gRPC clients of every language understand. */
export function refuseGrpc(response: Http2ServerResponse): void {
  response.stream.respond(
    {
      ':status': 200,
      'content-type': 'application/grpc',
      'grpc-status': String(RPC_CODES.UNIMPLEMENTED),
      'grpc-message': 'gRPC is not served here. Use the REST interface on this address.',
    },
    { endStream: true },
  );
}
