// Ranges of names and ids in pages.
import type { Parameters } from './parameters.ts';

/** Names with a prefix, after another one: bytewise, as the columns are compared. */
export function rangeSql(
  column: string,
  { prefix, after }: { readonly prefix: string; readonly after: string | null },
  parameters: Parameters,
): string {
  const conditions = ['true'];
  // The first condition is a range of the index, the second one ends it.
  if (prefix !== '') {
    const start = parameters.bind(prefix);
    conditions.push(`${column} >= ${start}`, `starts_with(${column}, ${start})`);
  }
  if (after !== null) conditions.push(`${column} > ${parameters.bind(after)}`);
  return conditions.join(' and ');
}
