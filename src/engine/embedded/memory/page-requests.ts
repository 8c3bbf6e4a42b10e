// Asks the system for pages of an arena that a file backs: they come in any order, as many at a time as the disk takes.
import { Advice, type SystemCalls, systemCalls } from '../../../platform/native/system-calls.ts';
import type { Arena } from './arena.ts';

export interface Range {
  readonly address: number;
  readonly bytes: number;
}

/** Requests the pages of these ranges without waiting for them; does nothing where the system has no such call. */
export function requestPages(
  arena: Arena,
  ranges: Iterable<Range>,
  calls: SystemCalls | null = systemCalls(),
): void {
  if (calls === null) return;
  const { pageBytes } = calls;
  const pages = new Set<number>();
  for (const { address, bytes } of ranges)
    for (let page = Math.floor(address / pageBytes); page * pageBytes < address + bytes; page++)
      pages.add(page);
  const start = calls.addressOf(arena.buffer);
  for (const page of pages)
    calls.advise({ address: start + BigInt(page * pageBytes), bytes: pageBytes }, Advice.WillNeed);
}

/**
 * Tells the system how these ranges of whole pages are read from now on: one page after the other, of which it then reads
 * many at a time, or in any order.
 */
export function announceReads(
  arena: Arena,
  ranges: Iterable<Range>,
  isInOrder: boolean,
  calls: SystemCalls | null = systemCalls(),
): void {
  if (calls === null) return;
  const start = calls.addressOf(arena.buffer);
  for (const { address, bytes } of ranges)
    calls.advise({ address: start + BigInt(address), bytes }, isInOrder ? Advice.Sequential : Advice.Random);
}
