// Retrieves the chunks of an assistant's files for a question, with their files.

import type { Catalog, LiveRevision } from '../../../catalog/port.ts';
import { type Assistant, hasTerms } from '../../../domain/assistants/assistant.ts';
import { acceptsBy } from '../../../domain/assistants/file-filter.ts';
import type { Filter } from '../../../domain/filter/grammar.ts';
import { FILTER_IN_ENTRIES_MAX } from '../../../domain/limits.ts';
import { requireSameModels } from '../assistant-models.ts';
import { chunkId } from '../chunks/chunk-record.ts';
import {
  allRevisionsBut,
  type ChunkSearch,
  ChunkStore,
  type ChunkStoreParts,
  onlyRevisions,
  type RevisionChoice,
} from '../chunks/chunk-store.ts';
import type { FoundChunk, RankedChunk } from '../chunks/found-chunk.ts';
import { compoundsOf } from '../terms/compounds.ts';
import { bridgesOf } from '../terms/particles.ts';
import { comparedQuestion, formsOf } from '../terms/word-forms.ts';
import { TextEmbedder } from '../text-embedder.ts';
import { FoundChunks } from './found-chunks.ts';
import { adjacentPositions, groupChunks, type Snippet, type SnippetOptions, widen } from './join-chunks.ts';
import { rankCandidates } from './rank-candidates.ts';
import { type RerankerParts, rerankChunks } from './rerank-chunks.ts';
import type { TermWeights } from './shared-features.ts';

/** Chunks per ranking. */
const CANDIDATES = 40;
/** Terms of a question that are searched; longer ones are cut. */
const TERMS_MAX = 64;
/** Terms that are also searched alone, and chunks of each. */
const TERMS_ALONE_MAX = 12;
const CANDIDATES_A_TERM = 8;
/** How often snippets are extended by what is around them: the largest can have 320 chunks on either side. */
const WIDENINGS_MAX = 20;
/** Maximum searches per question. Replacements are rare, so one more search is usually enough. */
const SEARCHES_MAX = 4;

export interface RetrieverParts extends ChunkStoreParts, RerankerParts {
  readonly catalog: Pick<Catalog, 'assistantRevisions'>;
}

export interface Question {
  readonly text: string;
  /** Filters by the metadata of files. */
  readonly filter: Filter | null;
  readonly topK: number;
  /** Maximum tokens of one snippet. */
  readonly snippetTokens: number;
  /** Whether snippets include adjacent chunks within the budget. */
  readonly widened: boolean;
  readonly signal: AbortSignal;
}

export interface Retrieved {
  /** Best first. */
  readonly snippets: readonly Snippet[];
  /** Files of the snippets by revision, from the time when all of them answered. */
  readonly files: ReadonlyMap<string, LiveRevision>;
  /** What the terms of the question weigh: the rarer in all files, the more. */
  readonly weights?: TermWeights;
}

const NOTHING: Retrieved = { snippets: [], files: new Map() };

export class Retriever {
  readonly #parts: RetrieverParts;

  constructor(parts: RetrieverParts) {
    this.#parts = parts;
  }

  /** @throws assistant-models-changed; what models and the engine throw */
  async retrieve(assistant: Assistant, question: Question): Promise<Retrieved> {
    const { inference } = this.#parts;
    if (question.text.trim() === '') return NOTHING;
    requireSameModels(inference, assistant);
    const store = new ChunkStore(this.#parts, assistant);
    const { living, files, weights } = await this.#living(store, assistant, question);
    const ranked = await rerankChunks(this.#parts, living, question);
    const options = { snippetsMax: question.topK, tokensMax: question.snippetTokens };
    const snippets = groupChunks(ranked, options);
    if (!question.widened) return { snippets, files, weights };
    return { snippets: await widened(store, { snippets, files }, options), files, weights };
  }

  /**
   * Returns found chunks that still answer. When a revision stopped answering meanwhile, its successor was not
   * searched, so the search is repeated.
   */
  async #living(store: ChunkStore, assistant: Assistant, question: Question) {
    for (let attempt = 1; ; attempt++) {
      const { ranked: found, weights } = await this.#candidates(store, assistant, question);
      const revisionIds = [...new Set(found.map(({ chunk }) => chunk.revisionId))];
      const files = await this.#parts.catalog.assistantRevisions.live(assistant.id, revisionIds);
      if (files.size === revisionIds.length || attempt === SEARCHES_MAX) {
        return { living: found.filter(({ chunk }) => isOf(files, chunk)), files, weights };
      }
    }
  }

  /** Candidates of both rankings, best first. */
  async #candidates(
    store: ChunkStore,
    assistant: Assistant,
    question: Question,
  ): Promise<{ readonly ranked: readonly RankedChunk[]; readonly weights: TermWeights }> {
    const found = await this.#searched(store, assistant, question);
    const chunks = await store.fetch(found.ids);
    const weights = found.weights((id) => chunks.get(id)?.text, bridgesOf(question.text));
    const each = found.scores().flatMap(({ id, ...scores }) => {
      const chunk = chunks.get(id);
      return chunk === undefined ? [] : [{ chunk, ...scores, text: comparedText(chunk) }];
    });
    const by = this.#parts.inference.isBuiltIn(assistant.models.dense.model) ? 'built-in' : 'model';
    const scores = await rankCandidates(question.text, each, { by, weights });
    const ranked = withoutRepetition(
      each.map(({ chunk }, at) => ({ chunk, score: scores[at] ?? 0 })).sort((a, b) => b.score - a.score),
    );
    return { ranked, weights };
  }

  /** Returns the scores of all searches, by chunk. */
  async #searched(store: ChunkStore, assistant: Assistant, question: Question): Promise<FoundChunks> {
    const found = new FoundChunks();
    const choices = await this.#choices(assistant.id, question.filter);
    if (choices.length === 0) return found;
    const embedder = new TextEmbedder(this.#parts.inference, assistant.models);
    const { text, topK, signal } = question;
    const options = { inputType: 'query', signal } as const;
    const terms = hasTerms(assistant) ? [...comparedQuestion(text)].slice(0, TERMS_MAX) : null;
    const [[dense], [sparse]] = await Promise.all([
      embedder.dense([text], options),
      terms === null ? embedder.sparse([text], options) : [],
    ]);
    if (dense === undefined) throw new Error('the question has no embedding');
    const limit = Math.max(CANDIDATES, topK);
    await Promise.all(
      choices.map(async (revisions) => {
        const search = { limit, revisions };
        const byWords = async () => {
          if (sparse !== undefined) found.addWords(await store.byWords(sparse, search));
          if (terms !== null) await searchTerms(store, { terms, names: compoundsOf(text), search, found });
        };
        const byMeaning = async () => found.addMeaning(await store.byMeaning(dense.values, search));
        // Together: a failure that nobody waits for yet would end the process.
        await Promise.all([byMeaning(), byWords()]);
      }),
    );
    return found;
  }

  /** Returns searches that together cover the live revisions of matching files. */
  async #choices(assistantId: string, filter: Filter | null): Promise<readonly RevisionChoice[]> {
    const { assistantRevisions } = this.#parts.catalog;
    const accepts = acceptsBy(filter);
    if (accepts === null) {
      const others = await assistantRevisions.ids({ assistantId, accepts }, ['staged', 'stale', 'dead']);
      if (others.length === 0) return [null];
      if (others.length <= FILTER_IN_ENTRIES_MAX) return [allRevisionsBut(others)];
    }
    const live = await assistantRevisions.ids({ assistantId, accepts }, ['live']);
    const choices: RevisionChoice[] = [];
    for (let at = 0; at < live.length; at += FILTER_IN_ENTRIES_MAX) {
      choices.push(onlyRevisions(live.slice(at, at + FILTER_IN_ENTRIES_MAX)));
    }
    return choices;
  }
}

/**
 * Whether a chunk answers. Where earlier releases resumed a file with another parser, chunks of the former one may stand
 * behind the last.
 */
function isOf(files: Retrieved['files'], { revisionId, number }: FoundChunk): boolean {
  const live = files.get(revisionId);
  return live !== undefined && number < (live.processing?.chunks ?? Infinity);
}

/** Extends snippets by the chunks around them, as far as the budget allows. */
async function widened(
  store: ChunkStore,
  { snippets, files }: Pick<Retrieved, 'snippets' | 'files'>,
  options: SnippetOptions,
): Promise<readonly Snippet[]> {
  let wide = snippets;
  for (let round = 0; round < WIDENINGS_MAX; round++) {
    const before = wide.flatMap(({ chunks }) => chunks).length;
    const beside = await store.fetch(adjacentPositions(wide).map(chunkId));
    const answering = [...beside.values()].filter((chunk) => isOf(files, chunk));
    wide = widen(wide, answering, options);
    if (wide.flatMap(({ chunks }) => chunks).length === before) break;
  }
  return wide;
}

interface TermSearch {
  readonly terms: readonly string[];
  /** Each the terms of one name. */
  readonly names: readonly (readonly string[])[];
  readonly search: ChunkSearch;
  readonly found: FoundChunks;
}

/** Searches for all terms together, and for each and each name alone: a rare one must not drown in common ones. */
async function searchTerms(store: ChunkStore, { terms, names, search, found }: TermSearch): Promise<void> {
  const alone = { ...search, limit: CANDIDATES_A_TERM };
  const [together, named, ...each] = await Promise.all([
    store.byTerms(terms.flatMap(formsOf).slice(0, TERMS_MAX), search),
    Promise.all(names.map((name) => store.byPhrase(name, alone))),
    ...terms.slice(0, TERMS_ALONE_MAX).map((term) => store.byTerms(formsOf(term), alone)),
  ]);
  found.addWords([...together, ...named.flat()]);
  for (const [at, hits] of each.entries()) found.addTerm(terms[at] ?? '', hits);
}

/** A heading that the text begins with counts once. */
function comparedText({ headings, text }: FoundChunk): string {
  return [...headings.filter((heading) => !text.includes(heading)), text].join('\n');
}

/** Files repeat each other: of chunks with the same words, the best stays. */
function withoutRepetition(ranked: readonly RankedChunk[]): RankedChunk[] {
  const seen = new Set<string>();
  return ranked.filter(({ chunk }) => {
    const words = chunk.text.replace(/\s+/g, ' ').trim();
    return !seen.has(words) && seen.add(words);
  });
}
