// The error catalogue: every condition the interface can report, with its status, code and message.

/** Codes of the standard error body. */
export type StandardCode =
  | 'UNKNOWN'
  | 'INVALID_ARGUMENT'
  | 'DEADLINE_EXCEEDED'
  | 'QUOTA_EXCEEDED'
  | 'NOT_FOUND'
  | 'ALREADY_EXISTS'
  | 'PERMISSION_DENIED'
  | 'UNAUTHENTICATED'
  | 'RESOURCE_EXHAUSTED'
  | 'FAILED_PRECONDITION'
  | 'ABORTED'
  | 'OUT_OF_RANGE'
  | 'UNIMPLEMENTED'
  | 'INTERNAL'
  | 'UNAVAILABLE'
  | 'DATA_LOSS'
  | 'FORBIDDEN'
  | 'UNPROCESSABLE_ENTITY'
  | 'PAYLOAD_TOO_LARGE';

/** Codes of the rpc-style error body (the gRPC canonical numbers). */
export const RPC_CODES = {
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  FORBIDDEN: 7,
  RESOURCE_EXHAUSTED: 8,
  QUOTA_EXCEEDED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
  UNPROCESSABLE_ENTITY: 3,
  PAYLOAD_TOO_LARGE: 3,
} as const satisfies Record<StandardCode, number>;

export interface FaultEntry {
  readonly status: number;
  readonly code: StandardCode;
  /** When this is answered, for the reference page. */
  readonly when: string;
  /** `{name}` places are filled with the fault's facts. */
  readonly message: string;
}

function entry<const Message extends string>(
  status: number,
  code: StandardCode,
  when: string,
  message: Message,
): FaultEntry & { readonly message: Message } {
  return { status, code, when, message };
}

/** One entry per condition. Message texts follow what SDK tests look for. */
export const FAULTS = {
  // Any surface
  'invalid-argument': entry(400, 'INVALID_ARGUMENT', 'A parameter has an invalid value.', '{reason}'),
  'unsupported-version': entry(
    400,
    'INVALID_ARGUMENT',
    'The version header names no known version.',
    "API version '{version}' is not supported. Supported versions: {supported}.",
  ),
  'missing-version': entry(
    400,
    'INVALID_ARGUMENT',
    'The version header is absent and the server is set to require it.',
    'The header X-Service-Api-Version is required. The newest version is {newest}.',
  ),
  unauthenticated: entry(401, 'UNAUTHENTICATED', 'The API key is missing or invalid.', 'Invalid API key.'),
  'permission-denied': entry(
    403,
    'PERMISSION_DENIED',
    'The credential lacks the permission.',
    'Access denied: Permission {permission} is required',
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
    'The Content-Type is not one the endpoint reads.',
    "Content-Type '{type}' is not supported; send application/json.",
  ),
  'unsupported-form-type': entry(
    415,
    'INVALID_ARGUMENT',
    'The Content-Type of an upload is another than that of forms with files.',
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
    'PAYLOAD_TOO_LARGE',
    'The body is over the hard limit, known before parsing.',
    'The request body exceeds the maximum size of {bytes} bytes.',
  ),
  'headers-too-large': entry(
    431,
    'INVALID_ARGUMENT',
    'The URL and headers are over the limit.',
    'The URL and headers of the request exceed {bytes} bytes.',
  ),
  'request-timeout': entry(
    408,
    'DEADLINE_EXCEEDED',
    'The request was not received in time.',
    'The request was not received in time.',
  ),
  overloaded: entry(
    429,
    'RESOURCE_EXHAUSTED',
    'More requests wait than the queue holds; the retry-after header says when to come back.',
    'Too many requests are waiting. Retry after {seconds} s.',
  ),
  internal: entry(
    500,
    'UNKNOWN',
    'A fault of the server; the log holds the rest under the request id.',
    'Internal server error',
  ),
  'storage-full': entry(
    503,
    'UNAVAILABLE',
    "The server's disk is full or refuses writes. Nothing of the request was stored.",
    'The server cannot write to its disk: {reason}. Nothing of this request was stored.',
  ),
  interrupted: entry(
    503,
    'UNAVAILABLE',
    'An engine thread died under the request and was started again. A write may have been stored or not.',
    'The request was interrupted inside the server. A write may have been stored or not; retry it.',
  ),
  'shutting-down': entry(503, 'UNAVAILABLE', 'The server is stopping.', 'The server is shutting down.'),

  // Control plane
  'index-not-found': entry(
    404,
    'NOT_FOUND',
    'The project has no index of this name.',
    'Index {name} not found.',
  ),
  'name-taken': entry(
    409,
    'ALREADY_EXISTS',
    'An index or collection of this name exists.',
    'Resource already exists.',
  ),
  'region-not-found': entry(
    404,
    'NOT_FOUND',
    'The cloud and region are not ones this server offers.',
    'Resource cloud: {cloud} region: {region} not found.',
  ),
  'deletion-protected': entry(
    403,
    'FORBIDDEN',
    'Deletion protection is enabled on the index.',
    'Deletion protection is enabled for this index. Disable deletion protection before retrying.',
  ),
  'capacity-change-running': entry(
    403,
    'FORBIDDEN',
    'A read capacity change is still running.',
    'Read capacity of index {name} is being changed. Retry when its status is Ready.',
  ),
  'index-ports-exhausted': entry(
    403,
    'FORBIDDEN',
    'Every port of the range for indexes is in use.',
    'All {count} index ports of this server are in use. Delete an index or widen PINYON_INDEX_PORTS.',
  ),
  'collection-not-found': entry(
    404,
    'NOT_FOUND',
    'The project has no collection of this name.',
    'Collection {name} not found.',
  ),
  'pending-collections': entry(
    412,
    'FAILED_PRECONDITION',
    'A collection of the index is still being made.',
    'Unable to delete an index. There are pending collections for this index: [{names}]',
  ),
  'backup-not-found': entry(
    404,
    'NOT_FOUND',
    'The project has no backup of this id.',
    'Backup {id} not found.',
  ),
  'backup-not-ready': entry(
    412,
    'FAILED_PRECONDITION',
    'An index is wanted of a backup that is still being made, has failed or is being removed.',
    'Backup {id} is not completed',
  ),
  'pending-restore-jobs': entry(
    412,
    'FAILED_PRECONDITION',
    'Indexes are being made of the backup.',
    'Unable to delete backup. There are pending restore jobs for this backup: [{ids}]',
  ),
  'restore-job-not-found': entry(
    404,
    'NOT_FOUND',
    'The project has no restore job of this id.',
    'Restore job {id} not found.',
  ),
  'schedule-not-found': entry(
    404,
    'NOT_FOUND',
    'The project has no backup schedule of this id.',
    'Backup schedule not found.',
  ),
  'schedule-exists': entry(
    409,
    'ALREADY_EXISTS',
    'The index has an enabled backup schedule.',
    'This index already has an enabled backup schedule. Disable or delete it first.',
  ),
  'model-not-found': entry(
    404,
    'NOT_FOUND',
    'No embedding model of this name is installed.',
    'Model {name} not found: no embedding model of this name is installed on this server. Installed: {supported}.',
  ),

  // Inference
  'unknown-model': entry(
    400,
    'INVALID_ARGUMENT',
    'No model of this name and kind is served here.',
    "Model '{name}' is not available. Supported {kind} models: {supported}.",
  ),
  'model-info-not-found': entry(
    404,
    'NOT_FOUND',
    'No model of this name is listed.',
    'Model {name} not found.',
  ),
  'model-unavailable': entry(
    503,
    'UNAVAILABLE',
    'The provider of a model is down, too slow, or answers nonsense. Nothing of the request was stored.',
    'Model {model} cannot answer now: {reason}. Retry later.',
  ),

  'reembedding-not-found': entry(
    404,
    'NOT_FOUND',
    'The vectors of the index were never asked to be made anew.',
    'No re-embedding of index {index} found.',
  ),

  // Assistants
  'assistant-not-found': entry(
    404,
    'NOT_FOUND',
    'The project has no assistant of this name, or not a ready one.',
    'Assistant "{name}" not found.',
  ),
  'assistant-file-not-found': entry(
    404,
    'NOT_FOUND',
    'The assistant has no file of this id.',
    'File with id {id} not found in provided assistant',
  ),
  'operation-not-found': entry(
    404,
    'NOT_FOUND',
    'The assistant has no operation of this id.',
    'Operation {id} not found.',
  ),
  'link-invalid': entry(
    403,
    'FORBIDDEN',
    'The signed link of a file was altered, or is older than an hour.',
    'This link is not valid, or has expired.',
  ),
  'file-deleting': entry(
    409,
    'ABORTED',
    'A file is uploaded under the id of one that is being deleted.',
    'File {id} is being deleted. Upload it when it is gone.',
  ),
  'assistant-reembedding-not-found': entry(
    404,
    'NOT_FOUND',
    'The files of the assistant were never asked to be embedded anew.',
    'No re-embedding of assistant "{name}" found.',
  ),
  'assistant-models-changed': entry(
    412,
    'FAILED_PRECONDITION',
    "The assistant's files were embedded by another model or revision than the one that would answer now.",
    'The files of assistant "{name}" were embedded by {stored}, and model {model} is now served by {current}. Run: pinyon reembed --assistant {name} - or set the provider back.',
  ),
  'invalid-chat-model': entry(
    400,
    'INVALID_ARGUMENT',
    'A chat asks for a model that is not offered.',
    "Invalid model '{model}'. Supported models: {supported}.",
  ),
  'chat-unavailable': entry(
    503,
    'UNAVAILABLE',
    'The provider of a chat model is down, too slow, or answers nonsense.',
    'Model {model} cannot answer now: {reason}. Retry later.',
  ),

  // Administration and identity
  'access-forbidden': entry(
    403,
    'FORBIDDEN',
    "The caller's roles do not allow it.",
    'Access denied: Permission {permission} is required',
  ),
  'unsupported-grant': entry(
    400,
    'INVALID_ARGUMENT',
    'The token exchange is asked for another grant than client_credentials.',
    'grant_type must be client_credentials',
  ),
  'limit-out-of-range': entry(
    400,
    'OUT_OF_RANGE',
    'The limit of a page is outside its range.',
    'limit must be a whole number from {min} to {max}',
  ),
  'organization-not-found': entry(
    404,
    'NOT_FOUND',
    'The caller sees no organization of this id.',
    'Organization {id} not found',
  ),
  'project-not-found': entry(
    404,
    'NOT_FOUND',
    'The caller sees no project of this id.',
    'Project {id} not found',
  ),
  'api-key-not-found': entry(
    404,
    'NOT_FOUND',
    'The caller sees no API key of this id.',
    'API Key {id} not found',
  ),
  'user-not-found': entry(404, 'NOT_FOUND', 'The caller sees no user of this id.', 'User {id} not found'),
  'invite-not-found': entry(
    404,
    'NOT_FOUND',
    'The caller sees no invite of this id.',
    'Invite {id} not found',
  ),
  'service-account-not-found': entry(
    404,
    'NOT_FOUND',
    'The caller sees no service account of this id.',
    'Service Account {id} not found',
  ),
  'role-binding-not-found': entry(
    404,
    'NOT_FOUND',
    'The caller sees no role binding of this id.',
    'Role Binding {id} not found',
  ),
  'principal-not-found': entry(
    404,
    'NOT_FOUND',
    'The organization has no principal of this type and id.',
    'Principal {type} {id} not found',
  ),
  'organization-not-empty': entry(
    412,
    'FAILED_PRECONDITION',
    'The organization has projects.',
    'Organization {id} still has projects. Delete them first.',
  ),
  'project-not-empty': entry(
    412,
    'FAILED_PRECONDITION',
    'The project has indexes, assistants or other resources.',
    'Project {id} still has resources: {resources}. Delete them first.',
  ),
  'last-owner': entry(
    409,
    'ABORTED',
    'It would take the last owner from the organization.',
    'The organization must keep at least one OrgOwner.',
  ),
  'last-membership': entry(
    409,
    'ABORTED',
    "It would take a principal's last organization role while it needs one.",
    "This is the {principal}'s last organization role. {remedy}",
  ),
  'binding-exists': entry(
    409,
    'ALREADY_EXISTS',
    'The principal has this role on this resource.',
    'Role binding already exists: {id}',
  ),
  'invite-exists': entry(
    409,
    'ALREADY_EXISTS',
    'A pending or expired invite for this address exists.',
    'An invite for this email already exists: {id}',
  ),
  'already-member': entry(
    409,
    'ALREADY_EXISTS',
    'A user of this address is a member of the organization.',
    'A user with this email is already a member of the organization.',
  ),
  'invite-processed': entry(
    409,
    'ALREADY_EXISTS',
    'The invite was accepted.',
    'Invite {id} has already been accepted.',
  ),
  'invites-exhausted': entry(
    429,
    'QUOTA_EXCEEDED',
    'The organization has sent its hourly number of invites.',
    'At most {max} invites may be sent per hour.',
  ),

  // Data plane
  'unknown-host': entry(
    404,
    'NOT_FOUND',
    "The host or port belongs to no index of the key's project. Another project's index looks the same.",
    'No index is served at {host}.',
  ),
  'index-not-ready': entry(
    503,
    'UNAVAILABLE',
    'The index is initializing.',
    'Index {name} is not ready yet.',
  ),
  'reads-paused': entry(
    400,
    'FAILED_PRECONDITION',
    'Dedicated read capacity has zero replicas.',
    'Reads on index {name} are paused: its read capacity has 0 replicas.',
  ),
  'dimension-mismatch': entry(
    400,
    'INVALID_ARGUMENT',
    'A vector has another dimension than the index.',
    'Vector dimension {actual} does not match the dimension of the index {expected}',
  ),
  'zero-vector': entry(
    400,
    'INVALID_ARGUMENT',
    'A dense vector has no component of magnitude 1e-8 or more.',
    "Dense vectors must contain at least one non-zero value. Vector ID '{id}' contains only zeros",
  ),
  'empty-sparse-vector': entry(
    400,
    'INVALID_ARGUMENT',
    'A sparse vector is empty.',
    'Sparse vector must contain at least one value',
  ),
  'sparse-unsupported': entry(
    400,
    'INVALID_ARGUMENT',
    'Sparse values sent to a dense index whose metric is not dotproduct.',
    'Index configuration does not support sparse values - only indexes that are sparse or using dotproduct are supported',
  ),
  'bad-metadata-value': entry(
    400,
    'INVALID_ARGUMENT',
    'A metadata value is null, nested or of mixed type.',
    "Metadata value must be a string, number, boolean or list of strings, got '{value}' for field '{field}'",
  ),
  'metadata-too-big': entry(
    400,
    'INVALID_ARGUMENT',
    'The metadata of a record is over 40960 bytes.',
    'Metadata size is {bytes} bytes, which exceeds the limit of 40960 bytes per vector',
  ),
  'bad-filter': entry(
    400,
    'INVALID_ARGUMENT',
    'A filter condition is not in the language.',
    'illegal condition for field {field}, got {condition}',
  ),
  'request-too-big': entry(
    400,
    'INVALID_ARGUMENT',
    'A data plane request is over 2 MB.',
    'Request size {megabytes}MB exceeds the maximum supported size of 2MB',
  ),
  'namespace-not-found': entry(
    404,
    'NOT_FOUND',
    'The index has no namespace of this name.',
    'Namespace not found',
  ),
  'namespace-exists': entry(
    409,
    'ALREADY_EXISTS',
    'The namespace exists.',
    'Namespace {name} already exists',
  ),
  'embedding-changed': entry(
    412,
    'FAILED_PRECONDITION',
    "The index's vectors were made by another model or revision than the one that would answer now.",
    'The vectors of index {index} were made by {stored}, and its model is now served by {current}. Run: pinyon reembed {index} - or set the provider back.',
  ),
  'import-not-found': entry(
    404,
    'NOT_FOUND',
    'The index has no import of this id.',
    'Import {id} not found.',
  ),
  'export-not-found': entry(
    404,
    'NOT_FOUND',
    'The index has no export of this id.',
    'Export {id} not found.',
  ),
  'export-file-not-found': entry(
    404,
    'NOT_FOUND',
    "The export is not complete, went elsewhere than to the server's own storage, or has no such file.",
    'Export {id} has no file {path} to download.',
  ),
  'not-integrated': entry(
    400,
    'INVALID_ARGUMENT',
    'A text operation on an index without integrated embedding.',
    'Integrated inference is not configured for this index',
  ),
  'wrong-index-kind': entry(
    400,
    'INVALID_ARGUMENT',
    'The operation does not exist for this kind of index.',
    '{reason}',
  ),
  'response-too-big': entry(
    400,
    'INVALID_ARGUMENT',
    'The answer would be over 4 MB.',
    'The response would exceed the maximum size of 4MB. Lower topK or leave out values and metadata.',
  ),
} as const satisfies Record<string, FaultEntry>;

export type FaultName = keyof typeof FAULTS;

type PlacesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlacesIn<Rest>
  : never;

/** The facts a condition's message needs, derived from its `{places}`. */
export type FaultFacts<Name extends FaultName> = {
  readonly [Place in PlacesIn<(typeof FAULTS)[Name]['message']>]: string | number;
};

/** An error the caller is told about. Anything else that is thrown becomes a plain 500. */
export class Fault extends Error {
  readonly condition: FaultName;
  readonly status: number;
  readonly code: StandardCode;
  /** Seconds for the retry-after header, when the caller should come back. */
  readonly retryAfterSeconds: number | undefined;

  constructor(condition: FaultName, message: string, retryAfterSeconds?: number) {
    super(message);
    this.name = 'Fault';
    this.condition = condition;
    this.status = FAULTS[condition].status;
    this.code = FAULTS[condition].code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * Builds the fault of a condition; the facts fill the places of its message.
 * @example throw fault('index-not-found', { name })
 */
export function fault<Name extends FaultName>(
  condition: Name,
  ...[facts]: keyof FaultFacts<Name> extends never ? [] : [FaultFacts<Name>]
): Fault {
  const values: Readonly<Record<string, string | number>> = facts ?? {};
  const message = FAULTS[condition].message.replaceAll(/\{(\w+)\}/g, (_, place: string) =>
    String(values[place]),
  );
  return new Fault(condition, message);
}

/** Shorthand for the most common condition. */
export function invalid(reason: string): Fault {
  return fault('invalid-argument', { reason });
}
