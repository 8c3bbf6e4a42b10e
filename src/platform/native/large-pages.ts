// Moves large memories to large pages, step by step, in the background: a graph search reads rows from all over them, and
// with small pages nearly every read misses the TLB (docs/decisions/015-native-calls.md).
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Advice, type SystemCalls, systemCalls } from './system-calls.ts';

/** On supported processors with small pages of 4 KB. With larger ones, the system refuses. */
export const LARGE_PAGE_BYTES = 2 * 1_048_576;
/** A smaller memory stays on small pages: it suits the TLB, and most of a large page might be wasted. */
export const LARGE_PAGES_FROM_BYTES = 8 * 1_048_576;
/** Pause after each page, as a multiple of the time it took: 0.6 ms, or 5 ms in virtual machines that ask their host. */
const REST = 9;
/** The longest pause: on a busy machine everything takes long. */
const REST_MS_MAX = 20;
/** What the administrator allows: `always`, `madvise` or, in brackets, `never`. */
const ALLOWED = '/sys/kernel/mm/transparent_hugepage/enabled';

interface Followed {
  readonly memory: WebAssembly.Memory;
  /** Bytes that should be on large pages. */
  readonly until: number;
  /** Bytes that have been moved. */
  at: number;
}

/** Whether files back some of the large page from `at` on. */
type IsInFile = (memory: WebAssembly.Memory, at: number) => boolean;

/** The memories of one index. */
export class LargePages {
  readonly #calls: SystemCalls | null;
  #followed: readonly Followed[] = [];
  #isInFile: IsInFile = () => false;
  #isBusy = false;

  constructor(calls = isAllowed() ? systemCalls() : null) {
    this.#calls = calls;
  }

  /**
   * Follows the growth of these memories, and forgets all others. Call every few seconds, but not while much is being
   * loaded: large pages under memory that is not filled yet slow down filling it.
   * @param isInFile true where files back some of a large page, which stays as it is: all of it would be read
   */
  follow(memories: readonly WebAssembly.Memory[], isInFile: IsInFile = () => false): void {
    const calls = this.#calls;
    if (calls === null) return;
    this.#isInFile = isInFile;
    this.#followed = memories.map((memory) => this.#look(memory, calls));
    if (!this.#isBusy) void this.#run(calls);
  }

  #look(memory: WebAssembly.Memory, calls: SystemCalls): Followed {
    const { byteLength } = memory.buffer;
    const known = this.#followed.find((each) => each.memory === memory);
    const until = byteLength < LARGE_PAGES_FROM_BYTES ? 0 : byteLength;
    return { memory, until, at: known?.at ?? firstPage(calls.addressOf(memory.buffer)) };
  }

  async #run(calls: SystemCalls): Promise<void> {
    this.#isBusy = true;
    for (;;) {
      const next = this.#followed.find(({ at, until }) => at + LARGE_PAGE_BYTES <= until);
      if (next === undefined) break;
      const { at } = next;
      next.at += LARGE_PAGE_BYTES;
      if (this.#isInFile(next.memory, at)) continue;
      const began = performance.now();
      enlarge(calls, next.memory, at);
      const rest = Math.min(REST_MS_MAX, REST * (performance.now() - began));
      await pause(rest, undefined, { ref: false });
    }
    this.#isBusy = false;
  }
}

/** If the system has no large page now, or no such call (before Linux 6.1), the advice lets it do the same later. */
function enlarge(calls: SystemCalls, memory: WebAssembly.Memory, at: number): void {
  const range = { address: calls.addressOf(memory.buffer) + BigInt(at), bytes: LARGE_PAGE_BYTES };
  calls.advise(range, Advice.LargePages);
  calls.advise(range, Advice.LargePagesNow);
}

/** Offset of the first byte, in a memory at this address, that may begin a large page. */
function firstPage(address: bigint): number {
  const inPage = Number(address % BigInt(LARGE_PAGE_BYTES));
  return inPage === 0 ? 0 : LARGE_PAGE_BYTES - inPage;
}

function isAllowed(): boolean {
  try {
    return !readFileSync(ALLOWED, 'utf8').includes('[never]');
  } catch {
    return false;
  }
}
