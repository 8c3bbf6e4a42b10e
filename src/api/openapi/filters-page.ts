// Generates the reference page of the filter language.
import { filterLanguageText } from '../rest/records/filter-schema.ts';

/** The page docs/reference/filters.md. */
export function filtersPage(): string {
  return [
    '# Filters',
    '',
    'Generated from `src/api/rest/records/filter-schema.ts` by `npm run docs`; change it there.',
    '',
    'A filter is a JSON object that selects records by their metadata. Queries, searches, `fetch_by_metadata`, updates',
    'and deletions take one; so do lists of files and questions to assistants, for the metadata of files.',
    '',
    filterLanguageText(),
    '',
  ].join('\n');
}
