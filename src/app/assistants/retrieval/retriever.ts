// Retrieves the chunks of an assistant's files for a question, with their files.

import type { Catalog, LiveRevision } from '../../../catalog/port.ts';
import type { Assistant } from '../../../domain/assistants/assistant.ts';
import { acceptsBy } from '../../../domain/assistants/file-filter.ts';
import type { Filter } from '../../../domain/filter/grammar.ts';
import { rerankModel } from '../../../domain/inference/find-model.ts';
import type { Inference } from '../../../domain/inference/port.ts';
import { readRerankParameters } from '../../../domain/inference/read-parameters.ts';
import { FILTER_IN_ENTRIES_MAX } from '../../../domain/limits.ts';
import { requireSameModels } from '../assistant-models.ts';
import { chunkId } from '../chunks/chunk-record.ts';
import {
  allRevisionsBut,
  ChunkStore,
  type ChunkStoreParts,
  onlyRevisions,
  type RevisionChoice,
} from '../chunks/chunk-store.ts';
import type { FoundChunk, RankedChunk } from '../chunks/found-chunk.ts';
import { TextEmbedder } from '../text-embedder.ts';
import { fuseScores } from './fuse-scores.ts';
import { adjacentPositions, groupChunks, type Snippet, widen } from './join-chunks.ts';

/** Chunks per ranking. */
const CANDIDATES = 32;
/** Minimum number of chunks that the reranker scores. */
const RERANKED_MIN = 24;
/** Maximum searches per question. Replacements are rare, so one more search is usually enough. */
const SEARCHES_MAX = 4;

export interface RetrieverParts extends ChunkStoreParts {
  readonly catalog: Pick<Catalog, 'assistantRevisions'>;
  readonly inference: Inference;
  /** Name of the reranking model. */
  readonly rerank: string;
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
    const { living, files } = await this.#living(store, assistant, question);
    const ranked = await this.#ranked(living, question);
    const options = { snippetsMax: question.topK, tokensMax: question.snippetTokens };
    const snippets = groupChunks(ranked, options);
    if (!question.widened) return { snippets, files };
    const beside = await store.fetch(adjacentPositions(snippets).map(chunkId));
    return { snippets: widen(snippets, [...beside.values()], options), files };
  }

  /**
   * Returns found chunks that still answer. When a revision stopped answering meanwhile, its successor was not
   * searched, so the search is repeated.
   */
  async #living(store: ChunkStore, assistant: Assistant, question: Question) {
    for (let attempt = 1; ; attempt++) {
      const found = await this.#candidates(store, assistant, question);
      const revisionIds = [...new Set(found.map(({ chunk }) => chunk.revisionId))];
      const files = await this.#parts.catalog.assistantRevisions.live(assistant.id, revisionIds);
      if (files.size === revisionIds.length || attempt === SEARCHES_MAX) {
        return { living: found.filter(({ chunk }) => files.has(chunk.revisionId)), files };
      }
    }
  }

  /** Candidates of both rankings, best first. */
  async #candidates(
    store: ChunkStore,
    assistant: Assistant,
    { text, filter, topK, signal }: Question,
  ): Promise<readonly RankedChunk[]> {
    const choices = await this.#choices(assistant.id, filter);
    if (choices.length === 0) return [];
    const embedder = new TextEmbedder(this.#parts.inference, assistant.models);
    const [[query], [passage]] = await Promise.all([
      embedder.embed([text], { inputType: 'query', signal }),
      embedder.sparse([text], { inputType: 'passage', signal }),
    ]);
    if (query === undefined) throw new Error('the question has no embedding');
    const limit = Math.max(CANDIDATES, topK);
    const found = await Promise.all(
      choices.map(async (revisions) => {
        const [dense, sparse] = await Promise.all([
          store.byMeaning(query.dense.values, { limit, revisions }),
          store.byWords(query.sparse, { limit, revisions }),
        ]);
        const sparseWhole = innerProduct(query.sparse, passage);
        return fuseScores({ dense, sparse, sparseWhole, limit });
      }),
    );
    const best = found
      .flat()
      .sort((a, b) => b.score - a.score)
      .slice(0, Math.max(RERANKED_MIN, topK));
    const chunks = await store.fetch(best.map(({ id }) => id));
    return best.flatMap(({ id, score }) => {
      const chunk = chunks.get(id);
      return chunk === undefined ? [] : [{ chunk, score }];
    });
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

  async #ranked(found: readonly RankedChunk[], { text, signal }: Question): Promise<readonly RankedChunk[]> {
    if (found.length === 0) return [];
    const { inference, rerank } = this.#parts;
    const model = rerankModel(inference, rerank);
    const parameters = { ...readRerankParameters(model, {}), truncate: 'END' } as const;
    const documents = found.map(({ chunk }) => headedText(chunk));
    const { scores } = await inference.rerank({ model, query: text, documents, parameters }, { signal });
    return found
      .map(({ chunk }, at) => ({ chunk, score: scores[at] ?? 0 }))
      .sort((a, b) => b.score - a.score);
  }
}

function headedText({ headings, text }: FoundChunk): string {
  const heading = headings.at(-1);
  return heading === undefined || text.startsWith(heading) ? text : `${heading}\n${text}`;
}

interface SparseValues {
  readonly indices: Uint32Array;
  readonly values: Float32Array;
}

function innerProduct(one: SparseValues, other: SparseValues | undefined): number {
  if (other === undefined) return 0;
  const values = new Map(Array.from(other.indices, (index, at) => [index, other.values[at] ?? 0] as const));
  return Array.from(one.indices).reduce(
    (sum, index, at) => sum + (one.values[at] ?? 0) * (values.get(index) ?? 0),
    0,
  );
}
