// Searches whose hits a reranking model sorts again, by a text that all of them have.
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { type Ask, ToolError, type ToolRequest } from '../tool.ts';
import type { KnownIndex } from './index-kind.ts';
import { recordParts } from './record-parts.ts';

/** How a search reranks: by one field, which the answer must have; null where it does not. */
export interface RankedBy {
  readonly field: string | null;
  /** Fields that hits need, whatever the caller wants to see. */
  readonly needed: readonly string[];
}

export interface RerankedHits {
  readonly hits: readonly JsonObject[];
  /** Why the hits are in the order of the search all the same. */
  readonly warning?: string;
}

export interface RerankedSearch {
  readonly index: KnownIndex;
  readonly ask: Ask;
  readonly request: (by: RankedBy) => ToolRequest;
  readonly hitsOf: (answer: JsonObject) => readonly JsonObject[];
}

/**
 * The hits of a search in a better order. A record may lack a field, by which it cannot be ranked: then by one that all
 * hits have, if there is one.
 * @throws ToolError for an index without texts to rank by; as the search
 */
export async function rerankedHits({ index, ask, request, hitsOf }: RerankedSearch): Promise<RerankedHits> {
  const [first, ...others] = rankFieldsOf(index);
  if (first === undefined)
    throw new ToolError(`Index ${index.name} stores no text field to rerank by: leave rerank out.`);
  const search = async (by: RankedBy) => hitsOf(await ask(request(by)));
  try {
    return { hits: await search({ field: first, needed: [first] }) };
  } catch (error) {
    if (!(error instanceof ToolError) || error.status !== BAD_REQUEST) throw error;
    // Where the search itself is wrong, it is refused again.
    const hits = await search({ field: null, needed: others });
    const field = others.find((name) => hits.every((hit) => hasText(index, hit, name)));
    return field === undefined
      ? { hits, warning: `The hits are not reranked: ${error.message}` }
      : { hits: await search({ field, needed: [field] }) };
  }
}

const BAD_REQUEST = 400;

/** Those with a text, the likeliest to be in every record first: an embedded one has to be. */
function rankFieldsOf({ kind, textField, fields }: KnownIndex): readonly string[] {
  if (kind !== 'documents') return textField === null ? [] : [textField];
  const texts = Object.entries(fields).filter(
    ([, { type, store_text: isStored }]) => type === 'string' && isStored !== false,
  );
  const isEmbedded = ([, { embed }]: (typeof texts)[number]): boolean => isJsonObject(embed);
  return [...texts.filter(isEmbedded), ...texts.filter((each) => !isEmbedded(each))].map(([name]) => name);
}

function hasText({ kind }: KnownIndex, hit: JsonObject, name: string): boolean {
  return typeof recordParts(kind, hit).fields[name] === 'string';
}
