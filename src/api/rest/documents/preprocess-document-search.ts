// The main thread's part of a document search: query texts of embed clauses become vectors before the engine searches,
// and a model ranks the matches again afterwards.
import { Buffer } from 'node:buffer';
import { hasEmbeddings } from '../../../domain/document-schema.ts';
import { embedFieldTexts } from '../../../domain/embedding/embed-field-texts.ts';
import { embeddedFields } from '../../../domain/embedding/embedded-fields.ts';
import { type NumberList, packEngineBody } from '../../../domain/embedding/engine-body.ts';
import { invalid } from '../../../domain/faults.ts';
import { InputTooLong } from '../../../domain/inference/input-too-long.ts';
import type { DataAnswer } from '../../data-request.ts';
import type { PreprocessorCall } from '../../endpoint.ts';
import { boundStructures } from '../../json-structures.ts';
import { requireSameVectors } from '../records/as-of.ts';
import { documentBody } from './document-body.ts';
import { documentNamespace, schemaOf } from './documents-endpoint.ts';
import { readDocumentRerank, rerankMatches } from './read-rerank.ts';
import { readScoreClauses, type ScoreClause } from './score-clauses.ts';
import { SEARCH_KEYS } from './search-keys.ts';

/** Objects and lists of a filter, mostly. */
const STRUCTURES_MAX = 100_000;

type EmbedClause = Extract<ScoreClause, { readonly type: 'embed' | 'sparse_embed' }>;

/** A body that asks for a rerank contains one of these: the key, or an escape that could spell it. */
const ASKING_RERANK = ['rerank', '\\u'];

export async function preprocessDocumentSearch(call: PreprocessorCall): Promise<DataAnswer> {
  documentNamespace(call.namespaces, call.params);
  const pieces = await Array.fromAsync(call.body);
  const schema = schemaOf(call.index);
  const body = Buffer.concat(pieces);
  const mayRerank = ASKING_RERANK.some((word) => body.includes(word));
  if (!hasEmbeddings(schema) && !mayRerank) return call.run(packEngineBody([body], []));
  boundStructures(body, STRUCTURES_MAX);
  const request = documentBody(body, SEARCH_KEYS);
  // Whether clauses may be mixed is for the engine thread to say, which knows the caller's version.
  const clauses = readScoreClauses(request.score_by, schema, { mayMix: true });
  const rerank = readDocumentRerank(request, clauses, { inference: call.inference, schema });
  const embedded = await Promise.all(
    clauses.filter(isEmbedClause).map((clause) => embedClause(call, clause)),
  );
  for (const { query } of clauses.filter(isEmbedClause)) call.noteQuery?.(query);
  const reply = await call.run(packEngineBody([body], listsOf(embedded)));
  return rerank === null || reply.status !== 200 ? reply : rerankMatches(reply, rerank, call);
}

/** The lists in the order in which `VectorLists` takes them; none without embedded clauses. */
function listsOf(embedded: readonly EmbeddedClause[]): readonly NumberList[] {
  if (embedded.length === 0) return [];
  const tokens = embedded.reduce((sum, each) => sum + each.tokens, 0);
  return [Uint32Array.of(tokens), ...embedded.flatMap(({ lists }) => lists)];
}

interface EmbeddedClause {
  readonly lists: readonly NumberList[];
  readonly tokens: number;
}

function isEmbedClause(clause: ScoreClause): clause is EmbedClause {
  return clause.type === 'embed' || clause.type === 'sparse_embed';
}

async function embedClause(call: PreprocessorCall, { type, query }: EmbedClause): Promise<EmbeddedClause> {
  const fields = embeddedFields(schemaOf(call.index));
  const field = type === 'embed' ? fields.dense : fields.sparse;
  if (field === null) throw new Error(`a clause of type ${type} has passed without a field`);
  const slot = type === 'embed' ? 'embed' : 'sparseEmbed';
  requireSameVectors(call, field.field[slot] ?? {});
  const request = { texts: [query], field, slot, use: 'read_parameters' } as const;
  const { embeddings, totalTokens: tokens } = await embedFieldTexts(call, request).catch((error: unknown) => {
    if (!(error instanceof InputTooLong)) throw error;
    throw error.saidOf(`score_by: the query of ${type}`, "the field's read_parameters");
  });
  const [embedding] = embeddings;
  if (embedding === undefined) throw new Error('the model returned no embedding for a text');
  if (embedding.vectorType === 'dense') return { lists: [embedding.values], tokens };
  if (embedding.indices.length === 0) {
    throw invalid(`score_by: the query of ${type} holds no word that could be searched for`);
  }
  return { lists: [embedding.indices, embedding.values], tokens };
}
