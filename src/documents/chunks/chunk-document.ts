// Packs the sentences and lines of a document into chunks that follow its headings.
import type { Block, ParsedDocument } from '../document-model.ts';
import { blockText } from '../document-model.ts';
import type { CountTokens } from '../text/count-tokens.ts';
import { type Chunk, type ChunkOptions, type PageStart, ROWS_TOKENS_MAX } from './chunk-model.ts';
import { type Unit, unitsOf } from './text-units.ts';

/** Every chunk below a heading repeats it, so longer headings are truncated in that list. */
const HEADING_CHARACTERS_MAX = 120;
/** White space between two units may cost one token. Longer white space, such as an indent of code, is counted. */
const SEPARATOR_TOKENS = 1;
const SEPARATOR_CHARACTERS_MAX = 2;

interface Heading {
  readonly level: number;
  readonly text: string;
}

interface HeadedUnit extends Unit {
  readonly block: Block;
  /** The headings above the unit; a heading includes itself. */
  readonly path: readonly Heading[];
}

interface PackedUnit extends HeadedUnit {
  /** Tokens of the white space between the previous unit and this one. */
  readonly gapTokens: number;
}

/**
 * Yields the chunks of a document. Each has at most `tokensMax` tokens and stays within its section.
 * Together they cover all of the text but white space. The result is deterministic.
 * Time grows with the length of the text.
 */
export function* chunkDocument(
  document: ParsedDocument,
  { count, ...options }: ChunkOptions & { readonly count: CountTokens },
): Generator<Chunk> {
  const packer = new Packer(document, options, count);
  let path: readonly Heading[] = [];
  for (const block of document.blocks) {
    if (block.kind === 'heading') {
      const level = block.level ?? 1;
      if (level <= (path.at(-1)?.level ?? 0)) yield* packer.endSection();
      const text = blockText(document, block).slice(0, HEADING_CHARACTERS_MAX).toWellFormed();
      path = [...path.filter((above) => above.level < level), { level, text }];
    }
    for (const unit of unitsOf(document, block, { ...options, count })) {
      yield* packer.add({ ...unit, block, path });
    }
  }
  yield* packer.end();
}

class Packer {
  readonly #document: ParsedDocument;
  readonly #options: ChunkOptions;
  readonly #count: CountTokens;
  #units: PackedUnit[] = [];
  #tokens = 0;
  #number = 0;

  constructor(document: ParsedDocument, options: ChunkOptions, count: CountTokens) {
    this.#document = document;
    this.#options = options;
    this.#count = count;
  }

  *add(placed: HeadedUnit): Generator<Chunk> {
    const unit = { ...placed, gapTokens: this.#gapTokens(placed.start) };
    const cost = unit.gapTokens + unit.tokens;
    if (unit.block.kind === 'row' && this.#tokens + cost > ROWS_TOKENS_MAX) yield* this.#endRows();
    while (this.#units.length > 0 && this.#tokens + cost > this.#options.tokensMax) yield this.#emit(cost);
    this.#units.push(unit);
    this.#tokens = this.#units.length === 1 ? unit.tokens : this.#tokens + cost;
  }

  /** Ends a chunk of rows without repeating any; a heading stays with the first. */
  *#endRows(): Generator<Chunk> {
    if (this.#units.at(-1)?.block.kind === 'row') yield* this.end();
  }

  #gapTokens(start: number): number {
    const end = this.#units.at(-1)?.end ?? start;
    if (start - end <= SEPARATOR_CHARACTERS_MAX) return SEPARATOR_TOKENS;
    return this.#count(this.#document.text.slice(end, start));
  }

  /** Keeps headings together that have no text between them. */
  *endSection(): Generator<Chunk> {
    if (this.#units.some((unit) => unit.block.kind !== 'heading')) yield* this.end();
  }

  *end(): Generator<Chunk> {
    while (this.#units.length > 0) yield this.#emit();
  }

  /**
   * Makes the next chunk and keeps the units that the one after it starts with.
   * @param nextCost tokens of the unit that follows in this section; undefined at the end of a section
   */
  #emit(nextCost?: number): Chunk {
    const units = this.#fitting();
    const left = this.#units.slice(units.length);
    if (left.length > 0 || nextCost === undefined) {
      this.#restart(left);
      return this.#chunk(units);
    }
    const kept = this.#keptFor(nextCost);
    this.#restart(kept.units);
    return this.#chunk(units.slice(0, units.length - kept.carried));
  }

  /** The longest prefix of the units that fits: units may have more tokens when joined than apart. */
  #fitting(): readonly PackedUnit[] {
    let units: readonly PackedUnit[] = this.#units;
    while (units.length > 1 && this.#tokensOf(units) > this.#options.tokensMax) units = units.slice(0, -1);
    return units;
  }

  #tokensOf(units: readonly HeadedUnit[]): number {
    return this.#count(this.#document.text.slice(units[0]?.start ?? 0, units.at(-1)?.end ?? 0));
  }

  #restart(units: readonly PackedUnit[]): void {
    this.#units = [...units];
    this.#tokens = costOf(units);
  }

  /**
   * The units that the next chunk starts with. Headings at the end move there, since they belong to the text below.
   * Otherwise the last units are repeated, as far as `overlapTokensMax` and the cost of the next unit allow.
   */
  #keptFor(nextCost: number): { readonly units: PackedUnit[]; readonly carried: number } {
    const { tokensMax, overlapTokensMax } = this.#options;
    const headings =
      this.#units.length - 1 - this.#units.findLastIndex((unit) => unit.block.kind !== 'heading');
    if (headings > 0 && headings < this.#units.length) {
      const units = this.#units.slice(-headings);
      if (costOf(units) + nextCost <= tokensMax) return { units, carried: headings };
    }
    const room = Math.min(overlapTokensMax, tokensMax - nextCost);
    let from = this.#units.length;
    while (from > 1 && costOf(this.#units.slice(from - 1)) <= room) from--;
    return { units: this.#units.slice(from), carried: 0 };
  }

  #chunk(units: readonly HeadedUnit[]): Chunk {
    const first = units[0];
    const last = units.at(-1);
    if (first === undefined || last === undefined) throw new Error('a chunk needs at least one unit');
    const body = units.find((unit) => unit.block.kind !== 'heading') ?? last;
    const context = first.block.kind === 'heading' ? first.path.slice(0, -1) : first.path;
    return {
      number: this.#number++,
      start: first.start,
      end: last.end,
      tokens: this.#tokensOf(units),
      headings: body.path.map((heading) => heading.text),
      context: context.map((heading) => heading.text),
      ...pagesOf(units),
    };
  }
}

function pagesOf(units: readonly HeadedUnit[]): Pick<Chunk, 'pages' | 'pageStarts'> {
  const pageStarts: PageStart[] = [];
  for (const { block, start } of units) {
    const { page } = block;
    if (page !== undefined && page !== pageStarts.at(-1)?.page) pageStarts.push({ page, start });
  }
  const first = pageStarts[0]?.page;
  const last = units.at(-1)?.block.lastPage ?? pageStarts.at(-1)?.page;
  return first === undefined || last === undefined ? {} : { pages: [first, last], pageStarts };
}

/** Tokens of the units and of the gaps between them. */
function costOf(units: readonly PackedUnit[]): number {
  const apart = units.reduce((cost, unit) => cost + unit.gapTokens + unit.tokens, 0);
  return apart - (units[0]?.gapTokens ?? 0);
}
