// Conditions any endpoint can report.
import { entry, type FaultEntry } from './entry.ts';

export const ANY_SURFACE_FAULTS = {
  'invalid-argument': entry(400, 'INVALID_ARGUMENT', 'A parameter has an invalid value.', '{reason}'),
  'unsupported-version': entry(
    400,
    'INVALID_ARGUMENT',
    'The version header names an unknown version.',
    "API version '{version}' is not supported. Supported versions: {supported}.",
  ),
  'missing-version': entry(
    400,
    'INVALID_ARGUMENT',
    'The version header is missing, and the server is configured to require it.',
    'The header X-Service-Api-Version is required. The newest version is {newest}.',
  ),
  unauthenticated: entry(401, 'UNAUTHENTICATED', 'The API key is missing or invalid.', 'Invalid API key.'),
  'permission-denied': entry(
    403,
    'PERMISSION_DENIED',
    'The credential lacks the permission.',
    'Access denied: Permission {permission} is required',
  ),
  'host-not-allowed': entry(
    403,
    'PERMISSION_DENIED',
    'The Host header names neither this server nor a loopback address, and the server listens on a loopback address.',
    "The Host header names '{host}', which is not a name of this server. PINYON_ALLOWED_HOSTS admits further names.",
  ),
  'path-not-found': entry(404, 'NOT_FOUND', 'No endpoint has this path.', 'No such path: {method} {path}'),
  'method-not-allowed': entry(
    405,
    'UNIMPLEMENTED',
    'The path exists, with other methods.',
    '{method} is not supported on {path}.',
  ),
  'unsupported-media-type': entry(
    415,
    'INVALID_ARGUMENT',
    'The endpoint does not accept the Content-Type.',
    "Content-Type '{type}' is not supported; send application/json.",
  ),
  'unsupported-form-type': entry(
    415,
    'INVALID_ARGUMENT',
    'The Content-Type of an upload is not multipart/form-data.',
    "Content-Type '{type}' is not supported; send multipart/form-data.",
  ),
  'unsupported-encoding': entry(
    415,
    'INVALID_ARGUMENT',
    'The body is compressed.',
    "Content-Encoding '{encoding}' is not supported; send the body as it is.",
  ),
  'body-not-json': entry(
    400,
    'INVALID_ARGUMENT',
    'The body is not valid JSON.',
    'The request body is not valid JSON: {reason}',
  ),
  'body-not-deserializable': entry(
    422,
    'UNPROCESSABLE_ENTITY',
    'The JSON body has a wrong type or lacks a required field.',
    'Failed to deserialize the JSON body into the target type: {reason}',
  ),
  'payload-too-large': entry(
    413,
    'INVALID_ARGUMENT',
    'The body exceeds the hard limit, which is checked before parsing.',
    'The request body exceeds the maximum size of {bytes} bytes.',
  ),
  'headers-too-large': entry(
    431,
    'INVALID_ARGUMENT',
    'The URL and headers exceed the limit.',
    'The URL and headers of the request exceed {bytes} bytes.',
  ),
  'request-timeout': entry(
    408,
    'DEADLINE_EXCEEDED',
    'The request was not received in time.',
    'The request was not received in time.',
  ),
  unimplemented: entry(
    501,
    'UNIMPLEMENTED',
    'gRPC only: the service does not have this method, or the message has an unknown compression.',
    '{reason}',
  ),
  'deadline-exceeded': entry(
    504,
    'DEADLINE_EXCEEDED',
    "gRPC only: the client's deadline has passed. A write may or may not have been stored.",
    'The deadline of the request has passed.',
  ),
  overloaded: entry(
    429,
    'RESOURCE_EXHAUSTED',
    'The queue is full; the retry-after header says when to retry.',
    'Too many requests are waiting. Retry after {seconds} s.',
  ),
  internal: entry(
    500,
    'UNKNOWN',
    'An unexpected error in the server; the log has the details under the request id.',
    'Internal server error',
  ),
  'storage-full': entry(
    503,
    'UNAVAILABLE',
    "The server's disk is full or refuses writes. Nothing of the request was stored.",
    'The server cannot write to its disk: {reason}. Nothing of this request was stored.',
  ),
  'out-of-files': entry(
    503,
    'UNAVAILABLE',
    'The server has as many files and connections open as the system allows it. Nothing of the request was stored.',
    'The server has as many files and connections open as its system allows. Nothing of this request was stored; retry it.',
  ),
  interrupted: entry(
    503,
    'UNAVAILABLE',
    'An engine thread died while it processed the request, and was restarted. A write may or may not have been stored.',
    'The request was interrupted inside the server. A write may or may not have been stored; retry it.',
  ),
  'shutting-down': entry(503, 'UNAVAILABLE', 'The server is stopping.', 'The server is shutting down.'),
} as const satisfies Record<string, FaultEntry>;
