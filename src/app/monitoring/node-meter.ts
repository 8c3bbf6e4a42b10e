// Counts what a node with records of its own does for the others: requests that it forwards, and moves.
import type { Job } from '../../domain/jobs.ts';
import type { Node } from '../../domain/nodes/node.ts';
import { ASSISTANT_MOVE_KIND, MOVE_KIND } from '../../domain/nodes/takeover.ts';

export type MoveOutcome = 'completed' | 'failed';

export interface NodeFigures {
  /** Since this node last renewed its lease. */
  readonly leaseAgeSeconds: number;
  readonly forwarded: readonly NodeCount[];
  readonly forwardFailures: readonly NodeCount[];
  readonly moves: readonly { readonly outcome: MoveOutcome; readonly count: number }[];
  /** As this node last read them. */
  readonly nodes: readonly Node[];
}

export interface NodeCount {
  readonly address: string;
  readonly count: number;
}

/** Counts since the start. */
export class NodeMeter {
  readonly #forwarded = new Map<string, number>();
  readonly #failures = new Map<string, number>();
  readonly #moves = new Map<MoveOutcome, number>([
    ['completed', 0],
    ['failed', 0],
  ]);

  forwarded(address: string): void {
    raise(this.#forwarded, address);
  }

  failed(address: string): void {
    raise(this.#failures, address);
  }

  /** Counts a job that has ended for good, if it was a move. */
  jobEnded({ kind }: Pick<Job, 'kind'>, outcome: MoveOutcome): void {
    if (kind === MOVE_KIND || kind === ASSISTANT_MOVE_KIND) raise(this.#moves, outcome);
  }

  get counts(): Pick<NodeFigures, 'forwarded' | 'forwardFailures' | 'moves'> {
    return {
      forwarded: countsOf(this.#forwarded),
      forwardFailures: countsOf(this.#failures),
      moves: [...this.#moves].map(([outcome, count]) => ({ outcome, count })),
    };
  }
}

function raise<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function countsOf(counts: ReadonlyMap<string, number>): readonly NodeCount[] {
  return [...counts].map(([address, count]) => ({ address, count }));
}
