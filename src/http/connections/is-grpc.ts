// Recognizes gRPC requests.
import type { AnyRequest } from './protocol-handlers.ts';

const GRPC_TYPE = /^application\/grpc(\+proto)?\s*(;|$)/i;

/** Other gRPC subtypes do not carry protobuf messages and are not served. */
export function isGrpc({ headers, httpVersionMajor }: AnyRequest): boolean {
  return httpVersionMajor === 2 && GRPC_TYPE.test(headers['content-type'] ?? '');
}
