// The code samples of the newest OpenAPI document, in an order in which they work one after the other.
import { readFileSync } from 'node:fs';

export interface Sample {
  readonly operation: string;
  readonly source: string;
}

interface Operation {
  readonly operationId?: string;
  readonly 'x-codeSamples'?: readonly { readonly lang: string; readonly source: string }[];
}

const DOCUMENT = new URL('../../docs/openapi/2026-07.json', import.meta.url);
/** What later ones need comes first, and what takes it away last. */
const ORDER = [/^create_/, /^upsert_/, /^(?!delete_)/, /^delete_(?!index)/, /^delete_index$/];

/** @param language as the document names it: typescript, python or go */
export function samplesOf(language: string): readonly Sample[] {
  const { paths }: { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> } =
    JSON.parse(readFileSync(DOCUMENT, 'utf8'));
  const samples = Object.values(paths)
    .flatMap((item) => Object.values(item))
    .flatMap(({ operationId: operation = '', 'x-codeSamples': all = [] }) =>
      all.filter(({ lang }) => lang === language).map(({ source }) => ({ operation, source })),
    );
  const rank = ({ operation }: Sample) => ORDER.findIndex((pattern) => pattern.test(operation));
  return samples.toSorted((a, b) => rank(a) - rank(b));
}
