// Joins found chunks and their neighbors into snippets.
import type { PageStart } from '../../../documents/port.ts';
import type { FoundChunk, RankedChunk } from '../chunks/found-chunk.ts';

export interface SnippetOptions {
  readonly snippetsMax: number;
  /** Maximum tokens of one snippet. A single longer chunk is still taken. */
  readonly tokensMax: number;
}

/** Consecutive chunks of one file, and the best of their scores. */
export interface Snippet {
  readonly chunks: readonly [FoundChunk, ...FoundChunk[]];
  readonly score: number;
}

/**
 * Joins consecutive chunks into one snippet within the budget.
 * @param ranked best first
 * @returns best first; no chunk is in two of them
 */
export function groupChunks(ranked: readonly RankedChunk[], options: SnippetOptions): Snippet[] {
  const snippets: Snippet[] = [];
  for (const { chunk, score } of ranked) {
    const at = snippets.findIndex((snippet) => extended(snippet, chunk, options.tokensMax) !== null);
    const grown = at < 0 ? null : extended(snippets[at], chunk, options.tokensMax);
    if (grown !== null) snippets[at] = grown;
    else if (snippets.length < options.snippetsMax && !snippets.some((each) => holds(each, chunk))) {
      snippets.push({ chunks: [chunk], score });
    }
  }
  return snippets;
}

/** Chunks on either side of a snippet that are fetched at once. */
const BESIDE = 16;

/** Returns the positions around snippets, to fetch for `widen`. */
export function adjacentPositions(
  snippets: readonly Snippet[],
): readonly Pick<FoundChunk, 'revisionId' | 'number'>[] {
  return snippets.flatMap(({ chunks }) => {
    const [{ revisionId, number }] = chunks;
    return Array.from({ length: BESIDE }, (_, at) => [number + chunks.length + at, number - 1 - at])
      .flat()
      .filter((each) => each >= 0)
      .map((each) => ({ revisionId, number: each }));
  });
}

/** Extends snippets by adjacent chunks, the best snippet first. Each chunk belongs to one snippet. */
export function widen(
  snippets: readonly Snippet[],
  beside: readonly FoundChunk[],
  { tokensMax }: SnippetOptions,
): Snippet[] {
  const taken = [...snippets];
  for (const [at, first] of taken.entries()) {
    let grown = first;
    for (const chunk of nearestFirst(first, beside)) {
      if (taken.some((each, other) => other !== at && holds(each, chunk))) continue;
      grown = extended(grown, chunk, tokensMax) ?? grown;
    }
    taken[at] = grown;
  }
  return taken;
}

/** The chunks of its file, by their distance from the snippet: one from either side in turn. */
function nearestFirst({ chunks }: Snippet, beside: readonly FoundChunk[]): readonly FoundChunk[] {
  const [{ revisionId, number: first }] = chunks;
  const last = first + chunks.length - 1;
  const distance = ({ number }: FoundChunk) => Math.max(first - number, number - last);
  return beside
    .filter((chunk) => chunk.revisionId === revisionId)
    .sort((a, b) => distance(a) - distance(b) || b.number - a.number);
}

/** Joins the chunks of a snippet into one text without their overlap; offsets stay those of the file. */
export function joined({ chunks }: Snippet): FoundChunk {
  const [first, ...rest] = chunks;
  let { text, tokens, pageStarts } = first;
  for (const chunk of rest) {
    const end = first.start + text.length;
    // Only line ends separate chunks.
    text += chunk.start < end ? chunk.text.slice(end - chunk.start) : gap(chunk.start - end) + chunk.text;
    tokens += chunk.tokens;
    pageStarts = laterPages(pageStarts, chunk.pageStarts);
  }
  return { ...first, text, tokens, pageStarts };
}

function gap(characters: number): string {
  return '\n'.repeat(characters);
}

function laterPages(
  before: readonly PageStart[] | undefined,
  after: readonly PageStart[] | undefined,
): readonly PageStart[] | undefined {
  if (before === undefined) return after;
  const last = before.at(-1)?.page ?? 0;
  return [...before, ...(after ?? []).filter(({ page }) => page > last)];
}

function holds({ chunks }: Snippet, { revisionId, number }: FoundChunk): boolean {
  return chunks.some((each) => each.revisionId === revisionId && each.number === number);
}

/** Null when the chunk is not adjacent or exceeds the budget. */
function extended(snippet: Snippet | undefined, chunk: FoundChunk, tokensMax: number): Snippet | null {
  if (snippet === undefined) return null;
  const { chunks } = snippet;
  const [first] = chunks;
  const tokens = chunks.reduce((sum, each) => sum + each.tokens, chunk.tokens);
  if (first.revisionId !== chunk.revisionId || tokens > tokensMax) return null;
  if (chunk.number === first.number - 1) return { ...snippet, chunks: [chunk, ...chunks] };
  if (chunk.number === first.number + chunks.length)
    return { ...snippet, chunks: [first, ...chunks.slice(1), chunk] };
  return null;
}
