// Turns the raw bytes of a data request into a JSON object, refusing what is too big, too deep or not Unicode.

import { fault, invalid } from '../../../domain/faults.ts';
import { isDeeperThan, isJsonObject, type JsonObject } from '../../../domain/json.ts';
import { DATA_REQUEST_BYTES_MAX, JSON_DEPTH_MAX } from '../../../domain/limits.ts';

const BYTES_PER_MEGABYTE = 1024 * 1024;
const utf8 = new TextDecoder('utf-8', { fatal: true });
/** In valid UTF-8, only an escape can produce an unpaired surrogate. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/** Parses a required body, unless another wire has already parsed it. @throws request-too-big, body-not-json, invalid-argument */
export function parseBody(body: Uint8Array | JsonObject): JsonObject {
  if (!(body instanceof Uint8Array)) return body;
  refuseTooBig(body.byteLength);
  return parseObject(body, 'The request body');
}

/** @throws request-too-big */
export function refuseTooBig(bytes: number): void {
  if (bytes <= DATA_REQUEST_BYTES_MAX) return;
  throw fault('request-too-big', { megabytes: (bytes / BYTES_PER_MEGABYTE).toFixed(2) });
}

/** Parses JSON in UTF-8; `what` is the subject of refusals. @throws body-not-json, invalid-argument */
export function parseObject(bytes: Uint8Array, what: string): JsonObject {
  const text = decode(bytes);
  const json = parseJson(text);
  if (!isJsonObject(json)) {
    throw invalid(`${what} must be a JSON object`);
  }
  if (isDeeperThan(JSON_DEPTH_MAX, json))
    throw fault('body-not-json', { reason: `it is nested deeper than ${JSON_DEPTH_MAX} levels` });
  refuseHalfSurrogates(text, json);
  return json;
}

/** Refuses unpaired surrogates in `json`, which was parsed from `text`. @throws body-not-json */
export function refuseHalfSurrogates(text: string, json: unknown): void {
  if (text.includes('\\u') && SURROGATE_ESCAPE.test(text)) checkWellFormed(json);
}

/** Returns the bytes of an endpoint's body that only one wire serves. @throws Error when another wire has parsed it */
export function bytesOf(body: Uint8Array | JsonObject): Uint8Array {
  if (!(body instanceof Uint8Array)) throw new Error('expected a body of bytes, got a parsed object');
  return body;
}

/** Parses a body as `parseBody` does, and an empty one as `{}`. */
export function parseOptionalBody(body: Uint8Array | JsonObject): JsonObject {
  return body instanceof Uint8Array && body.byteLength === 0 ? {} : parseBody(body);
}

function decode(body: Uint8Array): string {
  try {
    return utf8.decode(body);
  } catch {
    throw fault('body-not-json', { reason: 'it is not valid UTF-8' });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw fault('body-not-json', { reason: error instanceof Error ? error.message : String(error) });
  }
}

function checkWellFormed(node: unknown): void {
  if (typeof node === 'string') {
    if (!node.isWellFormed()) throw fault('body-not-json', { reason: 'a string has an unpaired surrogate' });
  } else if (Array.isArray(node)) {
    for (const item of node) checkWellFormed(item);
  } else if (typeof node === 'object' && node !== null) {
    for (const [key, value] of Object.entries(node)) {
      checkWellFormed(key);
      checkWellFormed(value);
    }
  }
}
