// The highlights of a document search, an extension of this server: snippets of the texts of its matches, with marks.
import { type DocumentSchema, textFieldsOf } from '../../../domain/document-schema.ts';
import { invalid } from '../../../domain/faults.ts';
import { fieldText } from '../../../domain/filter/condition-text.ts';
import { markWords } from '../../../domain/full-text/highlights/marked-words.ts';
import {
  leavesByField,
  type MarkedLeaf,
  passesOf,
} from '../../../domain/full-text/highlights/query-leaves.ts';
import { type SnippetOptions, snippetsOf } from '../../../domain/full-text/highlights/snippets.ts';
import { QuerySteps } from '../../../domain/full-text/query-steps.ts';
import { sumOfClauses } from '../../../domain/full-text/sum-of-clauses.ts';
import type { TextAnalysis } from '../../../domain/full-text/text-analysis.ts';
import type { TextQuery } from '../../../domain/full-text/text-query.ts';
import {
  HIGHLIGHT_CHARS_MAX,
  HIGHLIGHT_TAG_CHARS_MAX,
  HIGHLIGHTED_MAX,
  SNIPPET_LENGTH_DEFAULT,
  SNIPPET_LENGTH_MAX,
  SNIPPET_LENGTH_MIN,
  SNIPPETS_DEFAULT,
  SNIPPETS_MAX,
} from '../../../domain/limits.ts';
import { parseMetadata } from '../../../domain/records/metadata.ts';
import { Type } from '../../schema/type.ts';
import { checkInteger, refuseUnknown, requiredObject } from '../records/request-fields.ts';
import { stringList } from './document-body.ts';

const TAGS = { pre: '<mark>', post: '</mark>' };
const KEYS = ['fields', 'snippets', 'snippet_length', 'pre_tag', 'post_tag'] as const;

const tag = (place: string, standard: string) =>
  Type.Optional(
    Type.String({
      maxLength: HIGHLIGHT_TAG_CHARS_MAX,
      default: standard,
      description: `Put ${place} each marked word. The text around it is not escaped.`,
    }),
  );

export const HighlightsBody = Type.Object(
  {
    fields: Type.Optional(
      Type.Array(Type.String(), { description: 'Full-text fields. Default: all.', examples: [['body']] }),
    ),
    snippets: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: SNIPPETS_MAX,
        default: SNIPPETS_DEFAULT,
        description: 'At most this many of each field.',
      }),
    ),
    snippet_length: Type.Optional(
      Type.Integer({
        minimum: SNIPPET_LENGTH_MIN,
        maximum: SNIPPET_LENGTH_MAX,
        default: SNIPPET_LENGTH_DEFAULT,
        description: 'UTF-16 code units of a snippet, without its tags.',
      }),
    ),
    pre_tag: tag('before', TAGS.pre),
    post_tag: tag('after', TAGS.post),
  },
  {
    additionalProperties: false,
    description:
      'An extension of this server: adds _highlights to each match, which has for each field the snippets with the ' +
      `words of text and query_string clauses. An answer of at most ${HIGHLIGHTED_MAX} matches may have them. Texts ` +
      `after the first ${HIGHLIGHT_CHARS_MAX.toLocaleString('en')} characters of an answer have none; each fuzzy word, ` +
      'prefix and regular expression counts the characters again. Phrases of so many and so frequent words that they ' +
      'would take long to find are not marked.',
    examples: [{ fields: ['body'], snippets: 2 }],
  },
);

export interface RequestedHighlights {
  /** The fields to highlight, and their analysis. */
  readonly fields: ReadonlyMap<string, TextAnalysis>;
  readonly snippets: SnippetOptions;
}

/**
 * Null when absent.
 * @param matchesMax of the answer
 * @throws invalid-argument
 */
export function readHighlights(
  json: unknown,
  schema: DocumentSchema,
  matchesMax: number,
): RequestedHighlights | null {
  if (json === undefined) return null;
  const body = requiredObject(json, 'highlights');
  refuseUnknown(body, KEYS, 'highlights');
  if (matchesMax > HIGHLIGHTED_MAX) {
    throw invalid(`highlights are for answers of at most ${HIGHLIGHTED_MAX} matches; lower top_k`);
  }
  const texts = textFieldsOf(schema);
  const names = stringList(body.fields ?? undefined, 'highlights.fields') ?? [...texts.keys()];
  const integer = (key: 'snippets' | 'snippet_length', standard: number, range: [number, number]) =>
    checkInteger(body[key] ?? standard, `highlights.${key}`, { min: range[0], max: range[1] });
  return {
    fields: new Map(names.map((name) => [name, analysisOf(name, texts)])),
    snippets: {
      count: integer('snippets', SNIPPETS_DEFAULT, [1, SNIPPETS_MAX]),
      length: integer('snippet_length', SNIPPET_LENGTH_DEFAULT, [SNIPPET_LENGTH_MIN, SNIPPET_LENGTH_MAX]),
      preTag: readTag(body.pre_tag ?? TAGS.pre, 'pre_tag'),
      postTag: readTag(body.post_tag ?? TAGS.post, 'post_tag'),
    },
  };
}

function analysisOf(name: string, texts: ReadonlyMap<string, TextAnalysis>): TextAnalysis {
  const analysis = texts.get(name);
  if (analysis !== undefined) return analysis;
  throw invalid(`highlights.fields: '${fieldText(name)}' is no full-text field of this index`);
}

function readTag(value: unknown, key: string): string {
  if (typeof value === 'string' && value.length <= HIGHLIGHT_TAG_CHARS_MAX) return value;
  throw invalid(`highlights.${key} must be a string of at most ${HIGHLIGHT_TAG_CHARS_MAX} characters`);
}

/** Writes the highlights of matches, in the order of the answer, as long as the characters to look at last. */
export class Highlighter {
  readonly #requested: RequestedHighlights;
  readonly #leaves: ReadonlyMap<string, readonly MarkedLeaf[]>;
  #charactersLeft = HIGHLIGHT_CHARS_MAX;
  readonly #steps = new QuerySteps();

  constructor(requested: RequestedHighlights, queries: readonly TextQuery[]) {
    this.#requested = requested;
    this.#leaves = leavesByField(sumOfClauses(queries));
  }

  /** The snippets of a record by field, as JSON text. */
  textOf(metadataJson: string | null): string {
    const metadata = parseMetadata(metadataJson);
    const byField: Record<string, readonly string[]> = {};
    for (const [field, analysis] of this.#requested.fields) {
      const text = Object.hasOwn(metadata, field) ? metadata[field] : undefined;
      const leaves = this.#leaves.get(field) ?? [];
      if (typeof text !== 'string' || leaves.length === 0 || !this.#take(text.length * passesOf(leaves)))
        continue;
      const marked = markWords(text, analysis, { leaves, steps: this.#steps });
      const snippets = snippetsOf(text, marked, this.#requested.snippets);
      if (snippets.length > 0) byField[field] = snippets;
    }
    return JSON.stringify(byField);
  }

  #take(characters: number): boolean {
    if (characters > this.#charactersLeft) return false;
    this.#charactersLeft -= characters;
    return true;
  }
}
