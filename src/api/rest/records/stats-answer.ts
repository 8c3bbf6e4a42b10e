// The statistics of an index as text and as a value. Indexes may have very many namespaces.
import type { NamespaceRecords } from '../../../app/records/record-access.ts';
import { namespaceToShown } from '../../../domain/records/record-id.ts';

export interface StatsAnswer {
  /** In blocks: one that comes again has not changed. */
  readonly counts: readonly (readonly NamespaceRecords[])[];
  /** Whether the default namespace has the name that callers know since 2025-04. */
  readonly isShown: boolean;
  /** What else the answer has. */
  readonly details: object;
}

type Block = StatsAnswer['counts'][number];

/** Texts of blocks that have not changed since they were last asked for. */
const texts = new WeakMap<Block, { readonly isShown: boolean; readonly text: string }>();

/** The body of the answer as JSON. */
export function statsText({ counts, isShown, details }: StatsAnswer): string {
  const entries = counts.map((block) => blockText(block, isShown)).filter((text) => text !== '');
  return `{"namespaces":{${entries.join(',')}},${JSON.stringify(details).slice(1)}`;
}

/** The body of the answer as a value. */
export function statsBody({ counts, isShown, details }: StatsAnswer): object {
  const entries = counts
    .flat()
    .map(({ name, recordCount }) => [isShown ? namespaceToShown(name) : name, { vectorCount: recordCount }]);
  return { namespaces: Object.fromEntries(entries), ...details };
}

function blockText(block: Block, isShown: boolean): string {
  const known = texts.get(block);
  if (known?.isShown === isShown) return known.text;
  const entries = block.map(({ name, recordCount }) => {
    const shown = JSON.stringify(isShown ? namespaceToShown(name) : name);
    return `${shown}:{"vectorCount":${recordCount}}`;
  });
  const text = entries.join(',');
  texts.set(block, { isShown, text });
  return text;
}
