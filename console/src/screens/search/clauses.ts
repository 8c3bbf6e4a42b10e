// What documents are ranked by beside the main query: more words in a field, or the meaning of one.
import type { Index } from '../../api/types.ts';
import { textFieldsOf } from '../index/index-kind.ts';

export interface Clause {
  readonly kind: 'words' | 'meaning';
  readonly field: string;
  readonly query: string;
}

export interface ClauseChoice {
  readonly kind: Clause['kind'];
  readonly field: string;
  readonly text: string;
}

/** The clauses that the fields of an index allow. */
export function clauseChoices(index: Index): readonly ClauseChoice[] {
  const words = textFieldsOf(index).map((field) => ({
    kind: 'words' as const,
    field,
    text: `Words in ${field}`,
  }));
  const meaning = embeddedFieldsOf(index).map((field) => ({
    kind: 'meaning' as const,
    field,
    text: `Meaning of ${field}`,
  }));
  return [...words, ...meaning];
}

/** The fields that are searched by the meaning of a text. */
export function embeddedFieldsOf({ schema }: Index): readonly string[] {
  return Object.entries(schema?.fields ?? {}).flatMap(([name, { embed }]) =>
    embed === undefined || embed === null ? [] : [name],
  );
}

export function clauseBody({ kind, field, query }: Clause): object {
  return { type: kind === 'words' ? 'text' : 'embed', fields: [field], query };
}

/** The clauses in the address of a page; none where it has been tampered with. */
export function readClauses(text: string): readonly Clause[] {
  try {
    const value: unknown = JSON.parse(text || '[]');
    return Array.isArray(value) ? value.filter(isClause) : [];
  } catch {
    return [];
  }
}

function isClause(value: unknown): value is Clause {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, field, query } = value as Readonly<Record<string, unknown>>;
  return (kind === 'words' || kind === 'meaning') && typeof field === 'string' && typeof query === 'string';
}
