// Finds the end of a value in a JSON text, so that an error can name line and column.

/** Object keys and array positions, outermost first. */
export type JsonPath = readonly string[];

/** Both count from 1; the column is that of the value's last character. */
export interface JsonPosition {
  readonly line: number;
  readonly column: number;
}

/**
 * The end of the value at `path` in a valid JSON text, or of the whole text when there is none.
 * One pass over the text, which ends at the value.
 */
export function endOfValue(text: string, path: JsonPath): JsonPosition {
  const end = new Scanner(text).find(path);
  const before = text.slice(0, end);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: before.length - lineStart };
}

/** One string, number, literal or structural character, after white space. */
const TOKEN = /\s*("[^"\\]*(?:\\.[^"\\]*)*"|[^\s"{}[\],:]+|[{}[\],:])/y;

class Scanner {
  readonly #text: string;
  readonly #token = new RegExp(TOKEN);
  #found: number | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  find(path: JsonPath): number {
    this.#value(this.#next(), path);
    return this.#found ?? this.#text.length;
  }

  #next(): string {
    return this.#token.exec(this.#text)?.[1] ?? '';
  }

  /** Reads one value; `path` leads from it to the one looked for, undefined off that path. */
  #value(first: string, path: JsonPath | undefined): void {
    if (first === '{' || first === '[') this.#members(first === '{', path);
    if (path?.length === 0) this.#found ??= this.#token.lastIndex;
  }

  /** The members of an object or array, up to its closing bracket or the value looked for. */
  #members(named: boolean, path: JsonPath | undefined): void {
    let token = this.#next();
    for (let at = 0; token !== '' && token !== '}' && token !== ']'; at += 1) {
      let key = String(at);
      if (named) {
        key = JSON.parse(token);
        this.#next();
        token = this.#next();
      }
      this.#value(token, path?.[0] === key ? path.slice(1) : undefined);
      if (this.#found !== undefined) return;
      token = this.#next();
      if (token === ',') token = this.#next();
    }
  }
}
