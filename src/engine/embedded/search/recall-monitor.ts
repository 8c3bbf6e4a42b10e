// Watches what walks through a graph miss, and gives those of a namespace as much more effort as they turn out to need.
// What a plan does by default suffices where records have neighbours; that some have none is known only from answers
// (docs/decisions/021-recall.md).
// The global of this name is looked up anew each time.
import { performance } from 'node:perf_hooks';
import { rowCostNs } from '../ann/search-plan.ts';
import type { SegmentReader } from '../segments/segment-reader.ts';
import type { SlotRange } from './code-scan.ts';
import type { Selection } from './selection.ts';

/** What looking may cost, as a share of the time that searches take. */
const AUDIT_TIME_SHARE = 0.02;
/** How long one look takes, about. */
const AUDIT_NS = 1_000_000;

/** Matches missed for each one found: rates to be told apart. 0.02 is a recall of 0.98. */
interface Rates {
  readonly fine: number;
  readonly bad: number;
}
const NOW: Rates = { fine: 0.008, bad: 0.03 };
/** Less effort must be clearly enough, or it would come and go. */
const WITH_LESS: Rates = { fine: 0.004, bad: 0.015 };
/** Log of the likelihood ratio from which on one of the two is taken for true. */
const EVIDENCE_MIN = 8;
/** Results of one query that count at most, and misses among them: one query says little of the others. */
const AUDIT_FOUND_MAX = 10;
const AUDIT_MISSED_MAX = 3;

const EFFORT_STEP = 2;
/** Long before, a scan is cheaper. */
const EFFORT_MAX = 256;

/** What a look has found. */
export interface Audit {
  /** Matches that belonged in the answer. */
  readonly missed: number;
  /** Results of the answer, times the share of the slots that were looked at. */
  readonly found: number;
}

/** The next smaller effort; null below the usual one. */
export function lesserEffort(effort: number): number | null {
  return effort > 1 ? effort / EFFORT_STEP : null;
}

/** What is known of the walks through one segment. */
export class RecallRecord {
  #effort = 1;
  #forMore = 0;
  #forLess = 0;
  #nextSlot = 0;

  /** Times the usual one: 1, 2, 4 ... */
  get effort(): number {
    return this.#effort;
  }

  /** The effort that may do as well; null where there is none. */
  get lessEffort(): number | null {
    return lesserEffort(this.#effort);
  }

  /** Goes through all slots below `slots` in turn, some at a time. */
  nextRange(slots: number, dimension: number): SlotRange {
    const count = Math.round(AUDIT_NS / rowCostNs(dimension));
    const from = this.#nextSlot < slots ? this.#nextSlot : 0;
    const until = Math.min(slots, from + count);
    this.#nextSlot = until;
    return { from, until };
  }

  /** Notes what the effort of now has missed. */
  note(audit: Audit): void {
    this.#forMore = Math.max(0, this.#forMore + evidenceOf(audit, NOW));
    if (this.#forMore > EVIDENCE_MIN) this.#turnTo(Math.min(EFFORT_MAX, this.#effort * EFFORT_STEP));
  }

  /** Notes what `lessEffort`, or even less, would have missed. */
  noteLessEffort(audit: Audit): void {
    this.#forLess = Math.max(0, this.#forLess - evidenceOf(audit, WITH_LESS));
    if (this.#forLess > EVIDENCE_MIN) this.#turnTo(this.lessEffort ?? 1);
  }

  #turnTo(effort: number): void {
    this.#effort = effort;
    this.#forMore = 0;
    this.#forLess = 0;
  }
}

/** Unfiltered walks and filtered ones differ in what they need. */
interface RecallRecords {
  readonly all: RecallRecord;
  readonly filtered: RecallRecord;
}

/** What a reader knows of the walks of an index, and when it may look at another. */
export class RecallMonitor {
  readonly #records = new WeakMap<SegmentReader, RecallRecords>();
  readonly #clock: () => number;
  /** Milliseconds that may go into looking; the first look is free. */
  #credit = 0;
  #audits = 0;

  /** @param clock milliseconds that never go back */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  recordOf({ view, isFiltered }: Pick<Selection, 'view' | 'isFiltered'>): RecallRecord {
    let known = this.#records.get(view);
    if (known === undefined) {
      known = { all: new RecallRecord(), filtered: new RecallRecord() };
      this.#records.set(view, known);
    }
    return isFiltered ? known.filtered : known.all;
  }

  /** The segments of a namespace take turns. */
  isDue({ segment, segments }: Pick<Selection, 'segment' | 'segments'>): boolean {
    return this.#credit >= 0 && this.#audits % segments === segment;
  }

  /** Runs a search, which earns time to look. */
  search<Result>(search: () => Result): Result {
    const startedMs = this.#clock();
    const result = search();
    // Searches that seldom come must not save up for a burst of looks.
    this.#credit = Math.min(0, this.#credit + (this.#clock() - startedMs) * AUDIT_TIME_SHARE);
    return result;
  }

  /** Runs a part of a look. */
  audit<Result>(audit: () => Result): Result {
    const startedMs = this.#clock();
    const result = audit();
    this.#credit -= this.#clock() - startedMs;
    return result;
  }

  /** Ends a look. */
  finishAudit(): void {
    this.#audits++;
  }
}

/**
 * The step of a cumulative sum test (Page, "Continuous Inspection Schemes", Biometrika 1954): log of how much likelier the
 * look is at the bad rate than at the fine one, misses being rare and independent (Poisson).
 */
function evidenceOf({ missed, found }: Audit, { fine, bad }: Rates): number {
  const part = Math.min(1, AUDIT_FOUND_MAX / found);
  const counted = Math.min(missed * part, AUDIT_MISSED_MAX);
  return counted * Math.log(bad / fine) - found * part * (bad - fine);
}
