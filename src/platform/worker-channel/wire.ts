// The messages of a channel. They are arrays, because a structured clone of an object also copies its field names,
// which takes longer than copying most values.
import type { PlainWarning } from './warnings.ts';

export const CALL = 0;
export const ANSWER = 1;
export const FAILURE = 2;
export const NOTE = 3;
export const ABORT = 4;
export const ITEM = 5;
export const USED = 6;
export const END = 7;
export const NOTICE = 8;
export const CLOSE = 9;
export const WARNING = 10;

/** The number of a call, unique among those of its channel. */
export type CallId = number;

/** An item of a stream, in either direction. */
export type ItemMessage = readonly [typeof ITEM, CallId, item: unknown];
/** The receiver has consumed an item. The sender may reuse the buffer of the item, if it is returned. */
export type UsedMessage = readonly [typeof USED, CallId, buffer: ArrayBuffer | null];
/** Belongs to no call. */
export type NoticeMessage = readonly [typeof NOTICE, notice: unknown];

/** Something has gone wrong, and the thread goes on. */
export type WarningMessage = readonly [typeof WARNING, PlainWarning];

/** Caller -> serving side. */
export type CallerMessage =
  | readonly [typeof CALL, CallId, method: string, request: unknown]
  /** The caller no longer waits for the answer. */
  | readonly [typeof ABORT, CallId]
  /** No item of the upload follows. */
  | readonly [typeof END, CallId]
  /** Asks the serving side to finish; it answers once it has. */
  | readonly [typeof CLOSE, CallId]
  | ItemMessage
  | UsedMessage
  | NoticeMessage;

/** Serving side -> caller. */
export type ServerMessage =
  | readonly [typeof ANSWER, CallId, response: unknown]
  | readonly [typeof FAILURE, CallId, error: unknown]
  | readonly [typeof NOTE, CallId, note: unknown]
  | ItemMessage
  | UsedMessage
  | NoticeMessage
  | WarningMessage;

/**
 * What has come over a channel. Messages carry no types, but both sides import the same map of methods, so what one sends
 * is what the other expects.
 */
export function received<Content>(content: unknown): Content {
  return content as Content;
}
