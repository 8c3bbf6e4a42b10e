// Compiles a regular expression to a nondeterministic automaton (Thompson 1968).
import { type CharacterSet, RegexError, type RegexNode } from './regex-syntax.ts';

/** States of an automaton; a pattern that needs more is refused. */
const STATES_MAX = 4_000;
/** Parts of a pattern, counted as often as repetitions copy them: those that match nothing make no states. */
const PARTS_MAX = 20_000;

/** What a state does: read a character of a set, or go on in several states without reading. */
export type Instruction =
  | { readonly kind: 'read'; readonly set: CharacterSet; readonly next: number }
  | { readonly kind: 'split'; readonly next: readonly number[] }
  | { readonly kind: 'match' };

export interface RegexProgram {
  readonly instructions: readonly Instruction[];
  readonly start: number;
}

/** @throws RegexError if the program would have more than STATES_MAX states or PARTS_MAX parts */
export function compileRegex(node: RegexNode): RegexProgram {
  const compiler = new Compiler();
  const start = compiler.compile(node, compiler.add({ kind: 'match' }));
  return { instructions: compiler.instructions, start };
}

class Compiler {
  readonly instructions: Instruction[] = [];
  #parts = 0;

  add(instruction: Instruction): number {
    if (this.instructions.length >= STATES_MAX) throw new RegexError('it is too large', 0);
    return this.instructions.push(instruction) - 1;
  }

  /** Adds a node that goes on at `next`; returns where it starts. */
  compile(node: RegexNode, next: number): number {
    if (++this.#parts > PARTS_MAX) throw new RegexError('it is too large', 0);
    switch (node.kind) {
      case 'empty':
        return next;
      case 'set':
        return this.add({ kind: 'read', set: node.set, next });
      case 'concatenation':
        return node.parts.reduceRight((after, part) => this.compile(part, after), next);
      case 'alternation':
        return this.add({ kind: 'split', next: node.parts.map((part) => this.compile(part, next)) });
      case 'repetition':
        return this.#repetition(node, next);
    }
  }

  #repetition({ part, min, max }: Extract<RegexNode, { readonly kind: 'repetition' }>, next: number): number {
    let start = max === null ? this.#loop(part, next) : next;
    for (let times = min; times < (max ?? 0); times++) {
      start = this.add({ kind: 'split', next: [this.compile(part, start), next] });
    }
    for (let times = 0; times < min; times++) {
      // Counts even what compiles to nothing, so that nested repetitions of nothing end.
      this.add({ kind: 'split', next: [] });
      start = this.compile(part, start);
    }
    return start;
  }

  #loop(part: RegexNode, next: number): number {
    const targets = [next];
    const loop = this.add({ kind: 'split', next: targets });
    targets.push(this.compile(part, loop));
    return loop;
  }
}
