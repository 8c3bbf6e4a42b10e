// Automata over the characters of terms, determinized while they run, which an engine steps along a sorted dictionary.

/** A state. Dictionaries keep the states of a term's prefixes, to resume there for the next term. */
export interface AutomatonState {
  /** Whether the characters read so far are a match. */
  readonly isMatch: boolean;
}

export interface Automaton {
  readonly start: AutomatonState;
  /** A text that all terms that match contain; may be empty. */
  readonly required: string;
  /** The state after one more code point; null when nothing that begins so can match, so that it may be skipped. */
  step(state: AutomatonState, codePoint: number): AutomatonState | null;
}

/** Whether the automaton accepts the term as a whole. */
export function accepts(automaton: Automaton, term: string): boolean {
  let state: AutomatonState | null = automaton.start;
  for (const character of term) {
    state = automaton.step(state, character.codePointAt(0) ?? 0);
    if (state === null) return false;
  }
  return state.isMatch;
}

/** What a lazily determinized automaton is made of. A raw state is one state of the deterministic automaton, spelled out. */
export interface Transitions<Raw> {
  readonly start: Raw;
  /** Null when no continuation can match. */
  readonly next: (raw: Raw, symbol: number) => Raw | null;
  readonly isMatch: (raw: Raw) => boolean;
  /** Equal for equal raw states only. */
  readonly keyOf: (raw: Raw) => string;
  /** Code points with equal symbols have equal transitions everywhere. */
  readonly symbolOf: (codePoint: number) => number;
}

/** Transitions that an automaton remembers at a time. */
const TRANSITIONS_MAX = 100_000;

class State<Raw> implements AutomatonState {
  readonly raw: Raw;
  readonly isMatch: boolean;
  readonly transitions = new Map<number, State<Raw> | null>();

  constructor(raw: Raw, isMatch: boolean) {
    this.raw = raw;
    this.isMatch = isMatch;
  }
}

/** Computes each transition once and forgets all when there are too many. */
class LazyAutomaton<Raw> implements Automaton {
  readonly start: State<Raw>;
  readonly required: string;
  readonly #rules: Transitions<Raw>;
  readonly #states = new Map<string, State<Raw>>();
  #remembered = 0;

  constructor(rules: Transitions<Raw>, required: string) {
    this.required = required;
    this.#rules = rules;
    this.start = this.#stateOf(rules.start);
  }

  step(state: AutomatonState, codePoint: number): State<Raw> | null {
    if (!(state instanceof State)) throw new TypeError('a state of another automaton');
    // The class cannot tell its type argument, but callers pass only states that this automaton made.
    const { transitions, raw } = state as State<Raw>;
    const symbol = this.#rules.symbolOf(codePoint);
    const known = transitions.get(symbol);
    if (known !== undefined) return known;
    if (++this.#remembered > TRANSITIONS_MAX) this.#forget();
    const next = this.#rules.next(raw, symbol);
    const target = next === null ? null : this.#stateOf(next);
    transitions.set(symbol, target);
    return target;
  }

  #stateOf(raw: Raw): State<Raw> {
    const key = this.#rules.keyOf(raw);
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    const state = new State(raw, this.#rules.isMatch(raw));
    this.#states.set(key, state);
    return state;
  }

  /** States that a caller still holds stay valid, and are made again when they are met again. */
  #forget(): void {
    for (const state of this.#states.values()) state.transitions.clear();
    this.#states.clear();
    this.#remembered = 0;
  }
}

/** @param required a text that all terms that match contain */
export function lazyAutomaton<Raw>(rules: Transitions<Raw>, required = ''): Automaton {
  return new LazyAutomaton(rules, required);
}
