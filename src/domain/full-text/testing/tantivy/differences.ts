// How two answers to one query differ: in what matches, and in the order of the best where scores are apart.
import { Fault } from '../../../faults.ts';
import type { Scores } from '../../scoring/evaluate.ts';
import type { Exception } from './generate-queries.ts';
import type { TantivyAnswer } from './tantivy-process.ts';

/** Scores closer than this share may come in any order. */
const CLOSE_SHARE = 0.02;
const TOP = 10;

/** What of a difference is by decision. */
export interface Allowed {
  readonly exceptions: readonly Exception[];
  /** Records whose scores tantivy rounds, since they have long fields; they may come anywhere. */
  readonly rounded: ReadonlySet<string>;
}

/** What differs, or null. */
export function differenceBetween(
  ours: Scores | Fault,
  theirs: TantivyAnswer,
  { exceptions, rounded }: Allowed,
): string | null {
  if (ours instanceof Fault) return 'error' in theirs ? null : `refused here: ${ours.message}`;
  if ('error' in theirs) return `refused by tantivy: ${theirs.error}`;
  const tantivys: Scores = new Map(theirs.hits);
  const missing = [...tantivys.keys()].filter((id) => !ours.has(id));
  const extra = [...ours.keys()].filter((id) => !tantivys.has(id));
  if (exceptions.includes('slopOfThree')) return missing.length > 0 ? `misses ${missing}` : null;
  if (missing.length + extra.length > 0) return `misses ${missing}, has also ${extra}`;
  const exact = new Map([...ours].filter(([id]) => !rounded.has(id)));
  return exceptions.includes('prefixOfThree') ? null : wrongOrder(exact, tantivys);
}

/** A record of the top that tantivy puts below another, although it scores clearly higher here and clearly lower there. */
function wrongOrder(ours: Scores, tantivys: Scores): string | null {
  const ranked = [...ours].sort(([, a], [, b]) => b - a);
  for (const [higher, score] of ranked.slice(0, TOP)) {
    const wrong = ranked.find(
      ([lower, other]) =>
        isClearlyAbove(score, other) && isClearlyAbove(tantivys.get(lower) ?? 0, tantivys.get(higher) ?? 0),
    );
    if (wrong !== undefined) {
      return `${higher} is above ${wrong[0]}: ${score} and ${wrong[1]} here, ${tantivys.get(higher)} and ${tantivys.get(wrong[0])} there`;
    }
  }
  return null;
}

function isClearlyAbove(a: number, b: number): boolean {
  return a > b * (1 + CLOSE_SHARE);
}
