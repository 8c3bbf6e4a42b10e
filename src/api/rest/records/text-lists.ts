// Embeds a query text as lists of numbers for the engine thread, which reads them with `textTarget`.
import { requireCurrent } from '../../../domain/embedding/current-source.ts';
import type { NumberList } from '../../../domain/embedding/engine-body.ts';
import { appliedParameters } from '../../../domain/embedding/stored-parameters.ts';
import { invalid } from '../../../domain/faults.ts';
import { InputTooLong } from '../../../domain/inference/input-too-long.ts';
import type { EmbedModel } from '../../../domain/inference/model.ts';
import type { Embedding } from '../../../domain/inference/port.ts';
import type { EmbedParameters } from '../../../domain/inference/read-parameters.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { PreprocessorCall } from '../../endpoint.ts';
import { requireSameVectors } from './as-of.ts';
import { readMatchTerms } from './match-terms.ts';

/** Different words of all terms together. Each costs the scan of a posting list. */
const TERM_WORDS_MAX = 256;

/**
 * Embeds a query text. Returns the token count as a list of one; then the values of a dense vector, or the indices and
 * values of a sparse one and the required indices.
 * @throws not-integrated, embedding-changed, embedded-since, invalid-argument, and what the model throws
 */
export async function textLists(
  call: PreprocessorCall,
  query: JsonObject,
  text: string,
): Promise<readonly NumberList[]> {
  const { embed, model } = requireCurrent(call.inference, call.index);
  requireSameVectors(call, embed);
  const place = { path: 'read_parameters', dimension: call.index.dimension } as const;
  const parameters = appliedParameters(model, embed.readParameters, place);
  const terms = readMatchTerms(query, model, call.inference.isBuiltIn(model.name));
  const { inference, signal } = call;
  const { embeddings, totalTokens } = await inference
    .embed({ model, inputs: [text], parameters: { ...parameters, expandsQuery: true } }, { signal })
    .catch((error: unknown) => {
      if (!(error instanceof InputTooLong)) throw error;
      throw error.saidOf('query.inputs.text', "the index's read_parameters");
    });
  const tokens = Uint32Array.of(totalTokens);
  const [embedding] = embeddings;
  if (embedding === undefined) throw new Error('the model returned no embedding for a text');
  if (embedding.vectorType === 'dense') return [tokens, embedding.values];
  if (embedding.indices.length === 0) {
    throw invalid('query.inputs.text holds no word that could be searched for');
  }
  const required = await requiredIndices(call, terms, { model, parameters });
  return [tokens, embedding.indices, embedding.values, required];
}

/** Returns the indices of the words of all terms, ascending. */
async function requiredIndices(
  { inference, signal }: PreprocessorCall,
  terms: readonly string[],
  { model, parameters }: { readonly model: EmbedModel; readonly parameters: EmbedParameters },
): Promise<Uint32Array> {
  if (terms.length === 0) return new Uint32Array(0);
  const { embeddings } = await inference.embed({ model, inputs: terms, parameters }, { signal });
  const indices = new Set(embeddings.flatMap((embedding, position) => indicesOf(embedding, position)));
  if (indices.size > TERM_WORDS_MAX) {
    throw invalid(
      `query.match_terms.terms must hold at most ${TERM_WORDS_MAX} different words, got ${indices.size}`,
    );
  }
  return Uint32Array.from(indices).sort();
}

function indicesOf(embedding: Embedding, position: number): readonly number[] {
  const indices = embedding.vectorType === 'sparse' ? [...embedding.indices] : [];
  if (indices.length === 0) throw invalid(`query.match_terms.terms[${position}] holds no word`);
  return indices;
}
