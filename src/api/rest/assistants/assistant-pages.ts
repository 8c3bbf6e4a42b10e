// The common part of the lists of assistants, files and operations: query, cursors, and that older versions
// have no pages.
import { Buffer } from 'node:buffer';
import type { Page, PageQuery, Position } from '../../../domain/administration/pages.ts';
import { type ApiVersion, isAtLeast } from '../../../domain/api-version.ts';
import type { Reply } from '../../endpoint.ts';
import { type TSchema, Type } from '../../schema/type.ts';
import { queryInteger, queryString } from '../records/request-fields.ts';
import type { AssistantCall } from './assistant-endpoint.ts';

const LIMIT = { min: 1, max: 100 };
/** Rows read from the catalog at a time for callers that get all of them. */
const STRIDE = 1_000;

const TOKEN = 'eyJhZnRlciI6ImYxIn0';

/** The query of a list that has pages since the version; before, these parameters have no effect. */
export function pageQuery(limitDefault: number, since: ApiVersion) {
  return {
    limit: Type.Optional(
      Type.Integer({
        minimum: LIMIT.min,
        maximum: LIMIT.max,
        default: limitDefault,
        'x-since': since,
      }),
    ),
    pagination_token: Type.Optional(
      Type.String({
        description: 'The `pagination.next` of the previous page: valid for an hour.',
        'x-since': since,
        examples: [TOKEN],
      }),
    ),
  };
}

export function pageOf<Item extends TSchema>(name: string, item: Item, since: ApiVersion) {
  return Type.Object({
    [name]: Type.Array(item),
    pagination: Type.Optional(
      Type.Object(
        { next: Type.String() },
        { description: 'Absent on the last page.', 'x-since': since, examples: [{ next: TOKEN }] },
      ),
    ),
  });
}

export interface Listing<Row> {
  /** The name of the rows in the response. */
  readonly name: string;
  readonly limitDefault: number;
  /** False before 2026-04, when the list had no pages. */
  readonly wholeBefore202604: boolean;
  /** The endpoint's id and the filters, to which cursors are bound. */
  readonly boundTo: readonly string[];
  readonly list: (page: PageQuery) => Promise<Page<Row>>;
  readonly toWire: (row: Row) => unknown;
}

/** @throws invalid-argument, overloaded */
export async function answerPage<Row>(call: AssistantCall, listing: Listing<Row>): Promise<Reply> {
  const { name, toWire } = listing;
  if (listing.wholeBefore202604 && !isAtLeast(call.version, '2026-04')) {
    return { status: 200, jsonText: `{${JSON.stringify(name)}:[${await everyRow(call, listing)}]}` };
  }
  const { cursors } = call.services;
  const limit = queryInteger(call.query, 'limit', LIMIT) ?? listing.limitDefault;
  const seal = JSON.stringify([...listing.boundTo, call.access.projectId]);
  const after = cursors.open(queryString(call.query, 'paginationToken'), seal);
  const { items, next } = await listing.list({ limit, after });
  const pagination = next === null ? {} : { pagination: { next: cursors.seal(next, seal) } };
  return { status: 200, body: { [name]: items.map(toWire), ...pagination } };
}

/**
 * The text of all rows, however many they are: they share the memory of answers, and are rendered page by page, so that
 * others are served meanwhile. @throws invalid-argument, overloaded
 */
async function everyRow<Row>(
  { hold }: Pick<AssistantCall, 'hold'>,
  { list, toWire }: Pick<Listing<Row>, 'list' | 'toWire'>,
): Promise<string> {
  const pages: string[] = [];
  let bytes = 0;
  let after: Position | null = null;
  do {
    const page: Page<Row> = await list({ limit: STRIDE, after });
    if (page.items.length > 0) {
      const text = page.items.map((row) => JSON.stringify(toWire(row))).join(',');
      bytes += Buffer.byteLength(text);
      hold(bytes);
      pages.push(text);
    }
    after = page.next;
  } while (after !== null);
  return pages.join(',');
}
