// A list that the server gives page by page, and the table of the page in view.
import type { ComponentChildren } from 'preact';
import { call } from '../api/call.ts';
import { Shown } from './feedback.tsx';
import { plural } from './format.ts';
import { Pager, type Pages, usePages } from './pager.tsx';
import { type Resource, useResource } from './resource.ts';
import { type Column, Table } from './table.tsx';

export interface ListPage<Row> {
  readonly data: readonly Row[];
  readonly pagination?: { readonly next?: string } | null;
}

export interface PagedList<Row> {
  readonly page: Resource<ListPage<Row>>;
  readonly pages: Pages;
}

const ROWS = '50';

/**
 * Starts at the first page for each new path and query.
 * @param path empty to read nothing
 */
export function usePagedList<Row>(
  path: string,
  query: Readonly<Record<string, string>> = {},
): PagedList<Row> {
  const scope = `${path} ${JSON.stringify(query)}`;
  const pages = usePages(scope);
  const { token } = pages;
  const page = useResource(path === '' ? '' : `${scope} ${token}`, (signal) => {
    const place = token === undefined ? {} : { paginationToken: token };
    return call<ListPage<Row>>('GET', path, { query: { limit: ROWS, ...query, ...place }, signal });
  });
  return { page, pages };
}

/** All rows of a list, at most `rowsMax`. */
export async function readAll<Row>(
  path: string,
  { signal, rowsMax }: { readonly signal: AbortSignal; readonly rowsMax: number },
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let token: string | undefined;
  do {
    const query = { limit: '100', ...(token === undefined ? {} : { paginationToken: token }) };
    const page: ListPage<Row> = await call('GET', path, { query, signal });
    rows.push(...page.data);
    token = page.pagination?.next;
  } while (token !== undefined && rows.length < rowsMax);
  return rows;
}

interface PagedTableProps<Row> {
  readonly list: PagedList<Row>;
  readonly columns: readonly (Column<Row> | false)[];
  readonly keyOf: (row: Row) => string;
  /** What a row is, in the singular. */
  readonly noun: readonly [one: string, many: string];
  /** Shown in place of an empty page. */
  readonly children: ComponentChildren;
}

export function PagedTable<Row>({ list, columns, keyOf, noun, children }: PagedTableProps<Row>) {
  const { page, pages } = list;
  return (
    <Shown of={page}>
      {({ data, pagination }) => {
        const next = pagination?.next;
        return (
          <>
            {data.length === 0 ? children : <Table rows={data} columns={columns} keyOf={keyOf} />}
            {(pages.number > 1 || next !== undefined) && (
              <Pager pages={pages} next={next}>
                {plural(data.length, ...noun)}
              </Pager>
            )}
          </>
        );
      }}
    </Shown>
  );
}
