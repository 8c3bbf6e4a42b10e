// Ranks found chunks again by a model that reads question and chunk together.
import { Fault } from '../../../domain/faults.ts';
import { rerankModel } from '../../../domain/inference/find-model.ts';
import type { Inference } from '../../../domain/inference/port.ts';
import { readRerankParameters } from '../../../domain/inference/read-parameters.ts';
import type { FoundChunk, RankedChunk } from '../chunks/found-chunk.ts';

/** Minimum number of chunks that the model scores. */
const RERANKED_MIN = 24;

export interface RerankerParts {
  readonly inference: Inference;
  /** Name of the reranking model. */
  readonly rerank: string;
}

interface RerankedQuestion {
  readonly text: string;
  /** Chunks that are asked for at least. */
  readonly topK: number;
  readonly signal: AbortSignal;
}

/**
 * Returns the best chunks as the model ranks them; as they were found where the model is a built-in one, which would undo
 * what is known better, or refuses a text, which the caller could not change.
 * @throws what the model throws otherwise
 */
export async function rerankChunks(
  { inference, rerank }: RerankerParts,
  found: readonly RankedChunk[],
  { text, topK, signal }: RerankedQuestion,
): Promise<readonly RankedChunk[]> {
  if (found.length === 0 || inference.isBuiltIn(rerank)) return found;
  const best = found.slice(0, Math.max(RERANKED_MIN, topK));
  const model = rerankModel(inference, rerank);
  const parameters = { ...readRerankParameters(model, {}), truncate: 'END' } as const;
  const documents = best.map(({ chunk }) => headedText(chunk));
  try {
    const { scores } = await inference.rerank({ model, query: text, documents, parameters }, { signal });
    return best.map(({ chunk }, at) => ({ chunk, score: scores[at] ?? 0 })).sort((a, b) => b.score - a.score);
  } catch (error) {
    if (error instanceof Fault && error.condition === 'invalid-argument') return found;
    throw error;
  }
}

function headedText({ headings, text }: FoundChunk): string {
  const heading = headings.at(-1);
  return heading === undefined || text.startsWith(heading) ? text : `${heading}\n${text}`;
}
