// The first and the last frame of a copy: JSON about what lies between them.

import type { IndexProfile } from '../../../domain/index-model.ts';
import { isJsonObject } from '../../../domain/json.ts';
import { CopyFailed } from '../../port/copy-failed.ts';
import type { CopyDetails } from '../../port/index-copies.ts';
import { damaged } from './frames.ts';

/** Format of records, keys and rows. Raise it with any change in storage/ that older releases would misread. */
export const STORAGE_FORMAT = 1;

export interface CopyHead extends CopyDetails {
  readonly storage: number;
  readonly vectorType: IndexProfile['vectorType'];
  readonly metric: IndexProfile['metric'];
  readonly dimension: number | null;
  /** The store's own counters, by name. */
  readonly numbers: Readonly<Record<string, number>>;
}

/** Totals, to check what lies between head and end. */
export interface CopyEnd {
  /** Frames before this one. */
  readonly frames: number;
  readonly rows: number;
  readonly files: number;
}

type Shape = Readonly<Record<string, 'number' | 'string'>>;

const HEAD: Shape = {
  storage: 'number',
  seq: 'number',
  recordCount: 'number',
  namespaceCount: 'number',
  sizeBytes: 'number',
  vectorType: 'string',
  metric: 'string',
};
const END: Shape = { frames: 'number', rows: 'number', files: 'number' };

/** @throws CopyFailed damaged, newer, mismatch */
export function parseHead(payload: Buffer, profile: IndexProfile): CopyHead {
  const head = parse<CopyHead>(payload, HEAD);
  if (head.storage > STORAGE_FORMAT)
    throw new CopyFailed('newer', `the copy holds records of format ${head.storage}`);
  // Of another metric, an index takes the records, and derives anew what depends on it.
  for (const fact of ['vectorType', 'dimension'] as const) {
    if (head[fact] === profile[fact]) continue;
    throw new CopyFailed('mismatch', `the copy's ${fact} is ${head[fact]}, the index's ${profile[fact]}`);
  }
  if (Object.values(head.numbers ?? { none: '' }).some((value) => typeof value !== 'number'))
    throw damaged('its head frame is malformed');
  return head;
}

/** @throws CopyFailed damaged */
export function parseEnd(payload: Buffer): CopyEnd {
  return parse(payload, END);
}

function parse<Frame>(payload: Buffer, shape: Shape): Frame {
  const value = fromJson(payload);
  const fits =
    isJsonObject(value) && Object.entries(shape).every(([field, type]) => typeof value[field] === type);
  if (!fits) throw damaged('its head or end frame is malformed');
  // `shape` lists the fields of `Frame`.
  return value as Frame;
}

function fromJson(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString());
  } catch {
    return null;
  }
}
