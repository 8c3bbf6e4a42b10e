// Bodies of document calls: parsed, bounded, with the keys of their call and no others.
import { unpackEngineBody } from '../../../domain/embedding/engine-body.ts';
import { fault, invalid } from '../../../domain/faults.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { DATA_REQUEST_BYTES_MAX } from '../../../domain/limits.ts';
import { bytesOf, parseObject } from '../records/parse-body.ts';
import { refuseUnknown } from '../records/request-fields.ts';

/**
 * Parses a body. A key that is null counts as absent.
 * @throws documents-too-big, body-not-json; invalid-argument for a key that the call does not know
 */
export function documentBody<Key extends string>(
  bytes: Uint8Array,
  keys: readonly Key[],
): Readonly<Partial<Record<Key, unknown>>> {
  if (bytes.byteLength > DATA_REQUEST_BYTES_MAX)
    throw fault('documents-too-big', { bytes: bytes.byteLength });
  const body = bytes.byteLength === 0 ? {} : parseObject(bytes, 'The request body');
  refuseUnknown(body, keys, 'The request body');
  return withoutNulls(body, keys);
}

/** A body that the main thread has packed with vectors. */
export function packedBody<Key extends string>(body: Uint8Array | JsonObject, keys: readonly Key[]) {
  const { json, lists } = unpackEngineBody(bytesOf(body));
  return { request: documentBody(json, keys), lists };
}

function withoutNulls<Key extends string>(
  body: JsonObject,
  keys: readonly Key[],
): Readonly<Partial<Record<Key, unknown>>> {
  const given = keys.flatMap((key) => {
    const value = body[key] ?? undefined;
    return value === undefined ? [] : ([[key, value]] as const);
  });
  // Only keys of the list are in it.
  return Object.fromEntries(given) as Partial<Record<Key, unknown>>;
}

/** A list of strings; absent stays undefined. @throws invalid-argument */
export function stringList(value: unknown, name: string): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
    throw invalid(`${name} must be a list of strings`);
  }
  return value;
}
