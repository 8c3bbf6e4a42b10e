// Recursive-descent parser of query strings: the grammar of tantivy's query parser with fuzzy words and without ranges.
import { QUERY_DEPTH_MAX, QUERY_LEAVES_MAX } from '../query-limits.ts';
import { readBoost, readFieldName, readPhrase, readRegex, readWord } from './atoms.ts';
import { joinOperands, type Operand, type Operator } from './join-operands.ts';
import { isSpace, Scanner } from './scanner.ts';
import { negation, type SyntaxNode } from './syntax-tree.ts';

/**
 * Parses a query string. Leaves without a field search all of `fieldNames`.
 * @throws a fault that names the position of the first error
 */
export function parse(query: string, fieldNames: readonly string[]): SyntaxNode {
  return new Parser(query, fieldNames).parse();
}

class Parser {
  readonly #scanner: Scanner;
  readonly #fieldNames: readonly string[];
  #leaves = 0;
  #depth = 0;

  constructor(query: string, fieldNames: readonly string[]) {
    this.#scanner = new Scanner(query);
    this.#fieldNames = fieldNames;
  }

  parse(): SyntaxNode {
    const node = this.#clauses(this.#fieldNames);
    if (!this.#scanner.isAtEnd) throw this.#scanner.error('unmatched parenthesis');
    return node;
  }

  /** Clauses up to a closing parenthesis or the end. */
  #clauses(fields: readonly string[]): SyntaxNode {
    const scanner = this.#scanner;
    const operands: Operand[] = [];
    scanner.skipSpace();
    while (!scanner.isAtEnd && scanner.peek() !== ')') {
      operands.push(this.#operand(fields, operands.length === 0));
      if (!scanner.isBoundary() || scanner.peek() === '^') throw this.#unexpected();
      scanner.skipSpace();
    }
    if (operands.length === 0) throw scanner.error('a word or phrase is missing');
    return joinOperands(operands);
  }

  #operand(fields: readonly string[], isFirst: boolean): Operand {
    const start = this.#scanner.at;
    const operator = this.#operator();
    if (operator !== null && isFirst) throw this.#scanner.error(`nothing before ${operator}`, start);
    const occur = this.#scanner.eat('+') ? 'must' : this.#scanner.eat('-') ? 'mustNot' : null;
    return { operator, occur, node: this.#boosted(fields) };
  }

  #operator(): Operator {
    const scanner = this.#scanner;
    const operator = scanner.eatKeyword('AND') ? 'AND' : scanner.eatKeyword('OR') ? 'OR' : null;
    if (operator === null) return null;
    scanner.skipSpace();
    if (scanner.isAtEnd || scanner.peek() === ')') throw scanner.error(`nothing after ${operator}`);
    return operator;
  }

  #boosted(fields: readonly string[]): SyntaxNode {
    const node = this.#primary(fields);
    const factor = readBoost(this.#scanner);
    return factor === null || factor === 1 ? node : { kind: 'boost', factor, node };
  }

  #primary(fields: readonly string[]): SyntaxNode {
    const scanner = this.#scanner;
    if (scanner.peek() === '(') return this.#group(fields);
    if (scanner.peek() === '*' && scanner.isBoundary(1)) {
      scanner.at++;
      this.#countLeaf();
      return { kind: 'all' };
    }
    if (scanner.eatKeyword('NOT')) return this.#negated(fields);
    // Before a field name: a colon in an expression ends none.
    const regex = this.#regex(fields);
    if (regex !== null) return regex;
    const field = this.#field();
    const own = field === null ? fields : [field];
    if (field !== null && scanner.peek() === '(') return this.#group(own);
    return (field === null ? null : this.#regex(own)) ?? this.#leaf(own);
  }

  #negated(fields: readonly string[]): SyntaxNode {
    const scanner = this.#scanner;
    scanner.skipSpace();
    if (scanner.isAtEnd || scanner.peek() === ')') throw scanner.error('nothing after NOT');
    // A boost is that of what is excluded, where it means nothing; around the negation it would hide it.
    return this.#nested(() => negation(this.#boosted(fields)));
  }

  #group(fields: readonly string[]): SyntaxNode {
    const scanner = this.#scanner;
    const start = scanner.at;
    scanner.at++;
    return this.#nested(() => {
      const node = this.#clauses(fields);
      if (!scanner.eat(')')) throw scanner.error('unmatched parenthesis', start);
      return node;
    });
  }

  #nested(parse: () => SyntaxNode): SyntaxNode {
    if (++this.#depth > QUERY_DEPTH_MAX) {
      throw this.#scanner.error(`groups and negations are nested more than ${QUERY_DEPTH_MAX} deep`);
    }
    const node = parse();
    this.#depth--;
    return node;
  }

  #field(): string | null {
    const start = this.#scanner.at;
    const name = readFieldName(this.#scanner);
    if (name !== null && !this.#fieldNames.includes(name)) {
      throw this.#scanner.error(`'${name}' is not a full-text field of the index`, start);
    }
    return name;
  }

  #leaf(fields: readonly string[]): SyntaxNode {
    const scanner = this.#scanner;
    const at = scanner.at;
    this.#countLeaf();
    this.#refuseRanges();
    const next = scanner.peek();
    if (next === '"' || next === "'") return { kind: 'phrase', fields, at, ...readPhrase(scanner) };
    if (scanner.eatKeyword('AND') || scanner.eatKeyword('OR') || scanner.eatKeyword('NOT')) {
      throw scanner.error('an operator stands where a word is expected', at);
    }
    const word = readWord(scanner);
    if (word === null) throw this.#unexpected();
    return { kind: 'word', fields, at, ...word };
  }

  /** Null where no regular expression begins. */
  #regex(fields: readonly string[]): SyntaxNode | null {
    const { at } = this.#scanner;
    const pattern = this.#scanner.peek() === '/' ? readRegex(this.#scanner) : null;
    if (pattern === null) return null;
    this.#countLeaf();
    return { kind: 'regex', fields, at, pattern };
  }

  #refuseRanges(): void {
    const rest = this.#scanner;
    const isRange = '[{<>'.includes(rest.peek()) && !rest.isAtEnd;
    if (isRange) throw rest.error('ranges are not supported; escape the character to search for it');
    if (/^IN\s+\[/.test(rest.text.slice(rest.at, rest.at + 40))) throw rest.error('sets are not supported');
    if (rest.peek() === '*' && rest.isBoundary(1)) throw rest.error('`field:*` is not supported');
  }

  #countLeaf(): void {
    if (++this.#leaves > QUERY_LEAVES_MAX) {
      throw this.#scanner.error(`more than ${QUERY_LEAVES_MAX} words, phrases and regular expressions`);
    }
  }

  /** The error of a character that cannot stand where it does. */
  #unexpected(): Error {
    const scanner = this.#scanner;
    const next = scanner.peek();
    if (next === '') return scanner.error('a word or phrase is missing');
    if (next === '^') return scanner.error('a boost follows its word, phrase or group without a space');
    if (next === '"' || next === "'") {
      const isUnmatched = !scanner.text.includes(next, scanner.at + 1);
      return scanner.error(isUnmatched ? 'unmatched quote' : 'a space is missing before the quote');
    }
    if (isSpace(next) || next === ')') return scanner.error('a word or phrase is missing');
    return scanner.error(`unexpected '${String.fromCodePoint(scanner.text.codePointAt(scanner.at) ?? 0)}'`);
  }
}
