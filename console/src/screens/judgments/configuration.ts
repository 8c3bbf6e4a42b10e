// The settings of searches that a score compares: as a form has them, in the address of the page and in requests.
import type { Index } from '../../api/types.ts';
import { isDocumentIndex, textFieldOf, textFieldsOf } from '../index/index-kind.ts';
import { clauseChoices } from '../search/clauses.ts';

export interface Typed {
  /** Candidates; empty for as many as count. */
  readonly topK: string;
  /** JSON text. */
  readonly filter: string;
  /** A number; empty for the usual one. */
  readonly recall: string;
  /** A reranking model. */
  readonly rerank: string;
  /** Of documents: what to rank by. */
  readonly rank: string;
  /** Further settings as the text of a JSON object. */
  readonly more: string;
}

export const NOTHING_TYPED: Typed = { topK: '', filter: '', recall: '', rerank: '', rank: '', more: '' };

const BOTH = 'both';

/** What documents can be ranked by; empty for other indexes. */
export function rankChoices(index: Index): readonly { readonly value: string; readonly text: string }[] {
  if (!isDocumentIndex(index)) return [];
  const clauses = clauseChoices(index);
  const kinds = new Set(clauses.map(({ kind }) => kind));
  return [
    { value: '', text: 'Words' },
    ...clauses.map(({ kind, field, text }) => ({ value: `${kind} ${field}`, text })),
    ...(kinds.size > 1 ? [{ value: BOTH, text: 'Words and meaning, fused' }] : []),
  ];
}

/** The fields that a reranking model can read. */
export function rankedField(index: Index): string | undefined {
  return textFieldOf(index) ?? textFieldsOf(index)[0];
}

/** As the endpoint takes it. @throws SyntaxError for a filter or further settings that are not JSON */
export function configurationOf(index: Index, typed: Typed): Readonly<Record<string, unknown>> {
  const field = rankedField(index);
  return {
    ...(typed.topK === '' ? {} : { top_k: Number(typed.topK) }),
    ...(typed.filter.trim() === '' ? {} : { filter: JSON.parse(typed.filter) }),
    ...(typed.recall === '' ? {} : { recall: Number(typed.recall) }),
    ...(typed.rerank === '' || field === undefined
      ? {}
      : { rerank: { model: typed.rerank, rank_fields: [field] } }),
    ...rankingOf(index, typed.rank),
    ...(typed.more.trim() === '' ? {} : JSON.parse(typed.more)),
  };
}

function rankingOf(index: Index, rank: string): object {
  const clauses = clauseChoices(index).map(({ kind, field }) => ({
    name: `${kind} ${field}`,
    clause: { type: kind === 'words' ? 'text' : 'embed', fields: [field] },
  }));
  if (rank === BOTH) return { score_by: clauses.map(({ clause }) => clause), fusion: {} };
  const chosen = clauses.find(({ name }) => name === rank);
  return chosen === undefined ? {} : { score_by: [chosen.clause] };
}

/** What the address of the page has; nothing where it has been tampered with. */
export function readTyped(text: string | undefined): Typed {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    const given = typeof value === 'object' && value !== null ? value : {};
    const texts = Object.entries(given).filter(
      ([name, each]) => Object.hasOwn(NOTHING_TYPED, name) && typeof each === 'string',
    );
    return { ...NOTHING_TYPED, ...Object.fromEntries(texts) };
  } catch {
    return NOTHING_TYPED;
  }
}

/** Without what is empty. */
export function typedText(typed: Typed): string {
  const given = Object.entries(typed).filter(([, value]) => value !== '');
  return given.length === 0 ? '' : JSON.stringify(Object.fromEntries(given));
}

/** Why the text is no JSON object; undefined where it is one, and where it is empty. */
export function objectProblem(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return undefined;
    return 'A JSON object is expected';
  } catch {
    return 'This is not JSON';
  }
}
