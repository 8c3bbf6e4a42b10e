// Regular expressions over terms, run as a deterministic automaton that is made while it runs: time is linear in the term.
import { invalid } from '../../faults.ts';
import { type Automaton, lazyAutomaton, type Transitions } from './automaton.ts';
import { parseRegex } from './parse-regex.ts';
import { compileRegex, type RegexProgram } from './regex-program.ts';
import type { CharacterSet } from './regex-syntax.ts';
import { requiredText } from './required-text.ts';

/** Tests of characters against the pattern's sets that take as long as the visit of a state. */
const TESTS_PER_VISIT = 8;
/** States that one automaton may visit while it makes transitions: about a tenth of a second. */
const WORK_MAX = 1_000_000;

/**
 * The automaton of a pattern, which matches whole terms. A step throws a fault when the pattern costs too much.
 * @throws RegexError if the pattern is not supported
 */
export function regexAutomaton(pattern: string): Automaton {
  const node = parseRegex(pattern);
  const program = compileRegex(node);
  const costs: Costs = { work: 0 };
  const isMatch = (state: number): boolean => program.instructions[state]?.kind === 'match';
  const rules: Transitions<readonly number[]> = {
    start: closureOf(program, [program.start], costs),
    next: (states, codePoint) => {
      const next = closureOf(program, targetsOf(program, states, codePoint), costs);
      costs.work += states.length + Math.ceil(pattern.length / TESTS_PER_VISIT);
      if (costs.work > WORK_MAX) throw invalid('Invalid query string: a regular expression costs too much');
      return next.length === 0 ? null : next;
    },
    isMatch: (states) => states.some(isMatch),
    keyOf: (states) => states.join(),
    symbolOf: (codePoint) => codePoint,
  };
  return lazyAutomaton(rules, requiredText(node));
}

/** States visited and ways between them followed so far. */
interface Costs {
  work: number;
}

/** Tests each set once, however many states a repetition has made of it. */
function targetsOf({ instructions }: RegexProgram, states: readonly number[], codePoint: number): number[] {
  const tested = new Map<CharacterSet, boolean>();
  return states.flatMap((state) => {
    const instruction = instructions[state];
    if (instruction?.kind !== 'read') return [];
    const { set, next } = instruction;
    const isIn = tested.get(set) ?? set(codePoint);
    tested.set(set, isIn);
    return isIn ? [next] : [];
  });
}

/** The states that read or match, and are reached from some states without reading; in rising order. */
function closureOf(
  { instructions }: RegexProgram,
  states: readonly number[],
  costs: Costs,
): readonly number[] {
  const seen = new Set(states);
  const found: number[] = [];
  const pending = [...seen];
  for (let state = pending.pop(); state !== undefined; state = pending.pop()) {
    const instruction = instructions[state];
    if (instruction?.kind !== 'split') {
      found.push(state);
      continue;
    }
    costs.work += instruction.next.length;
    for (const next of instruction.next) {
      if (!seen.has(next)) pending.push(next);
      seen.add(next);
    }
  }
  costs.work += seen.size;
  return found.sort((a, b) => a - b);
}
