// Monitors the recall of graph searches by audits, and raises the effort for segments that need it. The planned effort
// suffices where records have neighbors; that some have none shows only in the answers (docs/decisions/021-recall.md).
// Imported, because the global of this name is looked up at each use.
import { performance } from 'node:perf_hooks';
import { RECALL_TARGET_MAX } from '../../../domain/limits.ts';
import { type AuditedRecall, type AuditSums, recallInterval } from '../../../domain/recall-promise.ts';
import { rowCostNs, type Traversal } from '../ann/search-plan.ts';
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
/** Rates of the present effort, and of less, which must clearly suffice, or it would alternate. */
interface Standard {
  readonly now: Rates;
  readonly withLess: Rates;
}
const USUAL: Standard = { now: { fine: 0.008, bad: 0.03 }, withLess: { fine: 0.004, bad: 0.015 } };
/** Of the misses that a promise allows: a third of them is fine, and all of them are too many to rely on it. */
const PROMISED: Standard = { now: { fine: 1 / 3, bad: 1 }, withLess: { fine: 1 / 8, bad: 1 / 2 } };
/** Promises between two of these count as the higher one, so that a segment has a bounded number of records. */
const PROMISES = [0.6, 0.7, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995, RECALL_TARGET_MAX] as const;
/** The log likelihood ratio from which on one of the two is accepted. */
const EVIDENCE_MIN = 8;
/** Maximum results, and misses among them, that count for one query: one query says little about others. */
const AUDIT_FOUND_MAX = 10;
const AUDIT_MISSED_MAX = 3;

/** Of the audits so far, each counts this part of the next; and the results that must have been audited to tell a recall. */
const AUDIT_DECAY = 0.998;
/** For a promise more of them count, as many as its misses are rare: 1 - decay is this part of the misses allowed. */
const PROMISED_DECAY_SHARE = 0.04;
/** Misses that a promise allows in as many results as must be audited before it has to be proven. */
const PROOF_MISSES_ALLOWED = 16;
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
  #sums: AuditSums = NO_AUDITS;
  readonly #promised: number | null;
  readonly #standard: Standard;
  readonly #decay: number;

  /** @param promised the recall that the searches promise; null for the usual one */
  constructor(promised: number | null = null) {
    this.#promised = promised;
    this.#standard = promised === null ? USUAL : standardOf(promised);
    this.#decay =
      promised === null ? AUDIT_DECAY : Math.max(AUDIT_DECAY, 1 - PROMISED_DECAY_SHARE * (1 - promised));
  }

  /** Factor on the usual effort: 1, 2, 4 and so on. */
  get effort(): number {
    return this.#effort;
  }

  /** The recall that the audits of the present effort have shown, the latest most; null before there are enough. */
  get auditedRecall(): AuditedRecall | null {
    return this.#sums.found < AUDITED_RESULTS_MIN ? null : recallInterval(this.#sums);
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
    this.#sums = withAudit(this.#sums, audit, this.#decay);
    this.#forMore = Math.max(0, this.#forMore + evidenceOf(audit, this.#standard.now));
    if (this.#forMore > EVIDENCE_MIN || this.#isUnproven())
      this.#turnTo(Math.min(EFFORT_MAX, this.#effort * EFFORT_STEP));
  }

  /** Notes what `lessEffort`, or even less, would have missed. */
  noteLessEffort(audit: Audit): void {
    this.#forLess = Math.max(0, this.#forLess - evidenceOf(audit, this.#standard.withLess));
    if (this.#forLess > EVIDENCE_MIN) this.#turnTo(this.lessEffort ?? 1);
  }

  /** True where enough was audited to be sure of the promise, and the audits do not say that it is held. */
  #isUnproven(): boolean {
    if (this.#promised === null || this.#effort === EFFORT_MAX) return false;
    const { found, foundTwice } = this.#sums;
    const size = found ** 2 / foundTwice;
    return (
      size * (1 - this.#promised) >= PROOF_MISSES_ALLOWED && recallInterval(this.#sums).low < this.#promised
    );
  }

  #turnTo(effort: number): void {
    this.#effort = effort;
    this.#sums = NO_AUDITS;
    this.#forMore = 0;
    this.#forLess = 0;
  }
}

const NO_AUDITS: AuditSums = {
  missed: 0,
  found: 0,
  missedSquared: 0,
  foundSquared: 0,
  product: 0,
  foundTwice: 0,
};

/** @param decay the weight of what was there before */
function withAudit(sums: AuditSums, { missed, found }: Audit, decay: number): AuditSums {
  const once = (sum: number, value: number) => decay * sum + value;
  const twice = (sum: number, value: number) => decay ** 2 * sum + value;
  return {
    missed: once(sums.missed, missed),
    found: once(sums.found, found),
    missedSquared: twice(sums.missedSquared, missed ** 2),
    foundSquared: twice(sums.foundSquared, found ** 2),
    product: twice(sums.product, missed * found),
    foundTwice: twice(sums.foundTwice, found),
  };
}

function standardOf(promised: number): Standard {
  const misses = 1 - promised;
  const scaled = ({ fine, bad }: Rates): Rates => ({ fine: fine * misses, bad: bad * misses });
  return { now: scaled(PROMISED.now), withLess: scaled(PROMISED.withLess) };
}

/** Searches that go through a graph in different ways differ in what they need, and so do those with different promises. */
type RecallRecords = Map<string, RecallRecord>;

type Turn = Pick<Selection, 'segment' | 'segments'>;

/** What a reader knows of the graph searches of an index, and when it may run another audit. */
export class RecallMonitor {
  readonly #records = new WeakMap<SegmentReader, RecallRecords>();
  readonly #clock: () => number;
  /** Milliseconds that may go into audits; the first audit is free. */
  #credit = 0;
  /** Counts up; the segment of a namespace that it names, modulo their number, has its turn. */
  #turn = 0;

  /** @param clock milliseconds that never decrease */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** @param promised the recall that the search promises; null for the usual one */
  recordOf({ view }: Pick<Selection, 'view'>, traversal: Traversal, promised: number | null): RecallRecord {
    const known: RecallRecords = this.#records.get(view) ?? new Map();
    this.#records.set(view, known);
    const level = promised === null ? null : (PROMISES.find((each) => each >= promised) ?? RECALL_TARGET_MAX);
    const key = `${traversal} ${level}`;
    const record = known.get(key) ?? new RecallRecord(level);
    known.set(key, record);
    return record;
  }

  /** True when an audit is due; the segments of a namespace take turns. */
  isDue(selection: Turn): boolean {
    return this.#credit >= 0 && this.#hasTurn(selection);
  }

  /** Gives the turn of a segment that has nothing to audit to the next one, which would wait for it for ever. */
  passTurn(selection: Turn): void {
    if (this.#hasTurn(selection)) this.#turn++;
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
    this.#turn++;
  }

  #hasTurn({ segment, segments }: Turn): boolean {
    return this.#turn % segments === segment;
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
