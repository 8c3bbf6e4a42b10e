// Monitors the recall of graph searches by audits, and raises the effort for segments that need it. The planned effort
// suffices where records have neighbors; that some have none shows only in the answers (docs/decisions/021-recall.md).
// Imported, because the global of this name is looked up at each use.
import { performance } from 'node:perf_hooks';
import { rowCostNs } from '../ann/search-plan.ts';
import type { SegmentReader } from '../segments/segment-reader.ts';
import type { SlotRange } from './code-scan.ts';
import type { Selection } from './selection.ts';

/** The share of search time that audits may take. */
const AUDIT_TIME_SHARE = 0.02;
/** About how long one audit takes. */
const AUDIT_NS = 1_000_000;

/** Missed matches per match found: two rates to tell apart. 0.02 is a recall of 0.98. */
interface Rates {
  readonly fine: number;
  readonly bad: number;
}
const NOW: Rates = { fine: 0.008, bad: 0.03 };
/** Less effort must clearly suffice, or it would alternate. */
const WITH_LESS: Rates = { fine: 0.004, bad: 0.015 };
/** The log likelihood ratio from which on one of the two is accepted. */
const EVIDENCE_MIN = 8;
/** Maximum results, and misses among them, that count for one query: one query says little about others. */
const AUDIT_FOUND_MAX = 10;
const AUDIT_MISSED_MAX = 3;

/** Of the audits so far, each counts this part of the next; and the results that must have been audited to tell a recall. */
const AUDIT_DECAY = 0.995;
const AUDITED_RESULTS_MIN = 50;

const EFFORT_STEP = 2;
/** A scan is cheaper long before this effort. */
const EFFORT_MAX = 256;

/** The outcome of an audit. */
export interface Audit {
  /** Matches that belonged in the answer. */
  readonly missed: number;
  /** Results of the answer, times the share of the slots that were audited. */
  readonly found: number;
}

/** The next lower effort; null below the usual one. */
export function lesserEffort(effort: number): number | null {
  return effort > 1 ? effort / EFFORT_STEP : null;
}

/** What is known of the graph searches of one segment. */
export class RecallRecord {
  #effort = 1;
  #forMore = 0;
  #forLess = 0;
  #nextSlot = 0;
  #audited: Audit = { missed: 0, found: 0 };

  /** Factor on the usual effort: 1, 2, 4 and so on. */
  get effort(): number {
    return this.#effort;
  }

  /** The recall that the audits of the present effort have shown, the latest most; null before there are enough. */
  get auditedRecall(): number | null {
    const { missed, found } = this.#audited;
    return found < AUDITED_RESULTS_MIN ? null : Math.max(0, 1 - missed / found);
  }

  /** The lower effort that may suffice; null where there is none. */
  get lessEffort(): number | null {
    return lesserEffort(this.#effort);
  }

  /** The next range of the slots below `slots`; successive ranges cover all of them in turn. */
  nextRange(slots: number, dimension: number): SlotRange {
    const count = Math.round(AUDIT_NS / rowCostNs(dimension));
    const from = this.#nextSlot < slots ? this.#nextSlot : 0;
    const until = Math.min(slots, from + count);
    this.#nextSlot = until;
    return { from, until };
  }

  /** Notes what the current effort has missed. */
  note(audit: Audit): void {
    this.#audited = {
      missed: AUDIT_DECAY * this.#audited.missed + audit.missed,
      found: AUDIT_DECAY * this.#audited.found + audit.found,
    };
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
    this.#audited = { missed: 0, found: 0 };
    this.#forMore = 0;
    this.#forLess = 0;
  }
}

/** Unfiltered searches and filtered ones differ in what they need. */
interface RecallRecords {
  readonly all: RecallRecord;
  readonly filtered: RecallRecord;
}

/** What a reader knows of the graph searches of an index, and when it may run another audit. */
export class RecallMonitor {
  readonly #records = new WeakMap<SegmentReader, RecallRecords>();
  readonly #clock: () => number;
  /** Milliseconds that may go into audits; the first audit is free. */
  #credit = 0;
  #audits = 0;

  /** @param clock milliseconds that never decrease */
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

  /** True when an audit is due; the segments of a namespace take turns. */
  isDue({ segment, segments }: Pick<Selection, 'segment' | 'segments'>): boolean {
    return this.#credit >= 0 && this.#audits % segments === segment;
  }

  /** Runs a search, which earns time for audits. */
  search<Result>(search: () => Result): Result {
    const startedMs = this.#clock();
    const result = search();
    // Infrequent searches must not save up for a burst of audits.
    this.#credit = Math.min(0, this.#credit + (this.#clock() - startedMs) * AUDIT_TIME_SHARE);
    return result;
  }

  /** Runs a part of an audit, and accounts for its time. */
  audit<Result>(audit: () => Result): Result {
    const startedMs = this.#clock();
    const result = audit();
    this.#credit -= this.#clock() - startedMs;
    return result;
  }

  /** Ends an audit. */
  finishAudit(): void {
    this.#audits++;
  }
}

/**
 * A step of the cumulative sum test (Page, "Continuous Inspection Schemes", Biometrika 1954): the log of how much
 * likelier the audit is at the bad rate than at the fine one. Misses are rare and independent (Poisson).
 */
function evidenceOf({ missed, found }: Audit, { fine, bad }: Rates): number {
  const part = Math.min(1, AUDIT_FOUND_MAX / found);
  const counted = Math.min(missed * part, AUDIT_MISSED_MAX);
  return counted * Math.log(bad / fine) - found * part * (bad - fine);
}
