// Binds the kernel's functions on posting lists, and sizes the memory that they work in.
import { randomInt } from 'node:crypto';
import type { Address } from './kernel-types.ts';
import { blockWriter, f64, u32, type ViewUpTo } from './parameter-block.ts';
import * as offsets from './parameters.ts';
import {
  FOUND_LIST_BYTES,
  GROUPED_LIST_BYTES,
  POSTINGS_QUERY_TERMS,
  QUERY_BUCKET_BYTES,
  QUERY_TERM_BYTES,
} from './posting-lists-constants.ts';
import type { PostingListKernel } from './posting-lists-interface.ts';

export type * from './posting-lists-interface.ts';

/** The kernel's exports on posting lists, in the order of their arguments in assembly/. */
export interface PostingListExports {
  preparePostingListQuery(
    indices: Address,
    values: Address,
    count: number,
    multiplier: number,
    query: Address,
  ): void;
  boundSlots(
    query: Address,
    frames: Address,
    frameCount: number,
    slotCount: number,
    least: number,
    sums: Address,
  ): number;
  offerCandidates(query: Address): void;
  collectCandidates(
    sums: Address,
    slotCount: number,
    firstSlot: number,
    bitmap: Address,
    least: number,
    out: Address,
  ): number;
  storeBounds(sums: Address, slotCount: number, unit: number, scores: Address): void;
  scoreEntry(query: Address, entry: Address): number;
  scoreEntries(
    query: Address,
    entry: Address,
    slotLimit: number,
    bitmap: Address,
    least: number,
    out: Address,
  ): number;
}

/** What `offerCandidates` takes, in the header of the query's block. */
const OFFER_FIELDS = {
  sums: u32(offsets.OFFER_SUMS),
  slotCount: u32(offsets.OFFER_SLOT_COUNT),
  firstSlot: u32(offsets.OFFER_FIRST_SLOT),
  bitmap: u32(offsets.OFFER_BITMAP),
  least: u32(offsets.OFFER_LEAST),
  out: u32(offsets.OFFER_OUT),
  unit: f64(offsets.OFFER_UNIT),
  heap: u32(offsets.OFFER_HEAP),
};

/** Hash multiplier of queries; random, so that no caller can choose indices that collide. */
const MULTIPLIER = randomInt(2 ** 31) * 2 + 1;

/** Bytes of a query's block, for this many terms. */
export function postingListQueryBytes(terms: number): number {
  const tableBits = Math.max(4, 33 - Math.clz32(terms));
  const listBytes = terms * FOUND_LIST_BYTES + (terms + 2) * GROUPED_LIST_BYTES;
  return POSTINGS_QUERY_TERMS + terms * QUERY_TERM_BYTES + listBytes + (QUERY_BUCKET_BYTES << tableBits);
}

/** The posting list functions of a kernel instance over the memory that `viewUpTo` shows. */
export function bindPostingLists(viewUpTo: ViewUpTo, raw: PostingListExports): PostingListKernel {
  const writeOffer = blockWriter(viewUpTo, OFFER_FIELDS);
  return {
    prepare: ({ indices, values, count }, query) =>
      raw.preparePostingListQuery(indices, values, count, MULTIPLIER, query),
    bound: ({ query, frames, frameCount, slotCount, least, sums }) =>
      raw.boundSlots(query, frames, frameCount, slotCount, least, sums),
    offer: ({ query, ...sums }, target) => {
      writeOffer(query, { ...sums, ...target });
      raw.offerCandidates(query);
    },
    collect: ({ sums, slotCount, firstSlot, bitmap, least }, out) =>
      raw.collectCandidates(sums, slotCount, firstSlot, bitmap, least, out),
    store: ({ sums, slotCount }, unit, scores) => raw.storeBounds(sums, slotCount, unit, scores),
    scoreEntry: raw.scoreEntry,
    scoreEntries: ({ query, entry, slotLimit, bitmap, least }, out) =>
      raw.scoreEntries(query, entry, slotLimit, bitmap, least, out),
  };
}
