// The statistics of an index as text and as a value. Indexes may have very many namespaces.
import type { NamespaceRecords } from '../../../app/records/record-access.ts';
import { namespaceToShown } from '../../../domain/records/record-id.ts';

export interface StatsAnswer {
  readonly counts: readonly NamespaceRecords[];
  /** Whether the default namespace has the name that callers know since 2025-04. */
  readonly isShown: boolean;
  /** What else the answer has. */
  readonly details: object;
}

/** Texts of counts that are asked for again while nothing changes. */
const texts = new WeakMap<StatsAnswer['counts'], { readonly isShown: boolean; readonly text: string }>();

/** The body of the answer as JSON. */
export function statsText({ counts, isShown, details }: StatsAnswer): string {
  return `{"namespaces":${countsText(counts, isShown)},${JSON.stringify(details).slice(1)}`;
}

/** The body of the answer as a value. */
export function statsBody({ counts, isShown, details }: StatsAnswer): object {
  const entries = counts.map(({ name, recordCount }) => [
    isShown ? namespaceToShown(name) : name,
    { vectorCount: recordCount },
  ]);
  return { namespaces: Object.fromEntries(entries), ...details };
}

function countsText(counts: StatsAnswer['counts'], isShown: boolean): string {
  const known = texts.get(counts);
  if (known?.isShown === isShown) return known.text;
  const entries = counts.map(({ name, recordCount }) => {
    const shown = JSON.stringify(isShown ? namespaceToShown(name) : name);
    return `${shown}:{"vectorCount":${recordCount}}`;
  });
  const text = `{${entries.join(',')}}`;
  texts.set(counts, { isShown, text });
  return text;
}
