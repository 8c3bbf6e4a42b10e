// An entry of the error catalog: a status, a code, and a message with placeholders.

/** Codes of the standard error body: those of the specification, and one that version 2026-07 adds for documents. */
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
  /** When the condition occurs, for the reference page. */
  readonly when: string;
  /** `{name}` placeholders are filled with the fault's details. */
  readonly message: string;
  /** What clients compare, in the details of the error. */
  readonly reason?: string;
}

/** Keeps the text of the message in its type, from which the required details are derived. */
export function entry<const Message extends string>(
  status: number,
  code: StandardCode,
  when: string,
  message: Message,
): FaultEntry & { readonly message: Message } {
  return { status, code, when, message };
}

/** Adds a reason to an entry. */
export function withReason<Entry extends FaultEntry>(
  reason: string,
  of: Entry,
): Entry & { readonly reason: string } {
  return { ...of, reason };
}
