// Reads maps: what there is, and the points page by page.
import { callIndex } from '../../api/call.ts';
import { Problem } from '../../api/problem.ts';
import { Cloud } from './cloud.ts';

export type MapField =
  | {
      readonly name: string;
      readonly kind: 'values';
      readonly values: readonly { readonly value: string | number | boolean; readonly count: number }[];
      readonly others: number;
    }
  | { readonly name: string; readonly kind: 'numbers'; readonly min: number; readonly max: number };

export interface MapDetails {
  readonly map: {
    readonly points: number;
    readonly total_records: number;
    readonly made_at: string;
    readonly fields: readonly MapField[];
  } | null;
  readonly up_to_date: boolean;
  readonly work: {
    readonly state: 'Pending' | 'Running' | 'Failed';
    readonly percent_complete: number;
    readonly error: string | null;
  } | null;
}

interface PointsPage {
  readonly made_at: string;
  readonly total: number;
  readonly x?: readonly number[];
  readonly y?: readonly number[];
  readonly ids?: readonly string[];
  readonly codes?: readonly number[];
}

const PAGE_POINTS = 20_000;
const NOT_FOUND = 404;

/** Null where there is no such namespace, as before its first record. */
export async function readMap(
  index: string,
  namespace: string,
  signal: AbortSignal,
): Promise<MapDetails | null> {
  try {
    return (await callIndex<MapDetails>(index, 'GET', pathOf(namespace), { signal })).body;
  } catch (error) {
    if (error instanceof Problem && error.status === NOT_FOUND) return null;
    throw error;
  }
}

export async function makeMap(index: string, namespace: string): Promise<void> {
  await callIndex(index, 'POST', pathOf(namespace));
}

export interface PointsRequest {
  readonly index: string;
  readonly namespace: string;
  readonly madeAt: string;
  readonly signal: AbortSignal;
}

/** Reads all positions; `onPart` hears of each part of them, the first of which shows the whole roughly. */
export async function readCloud(
  request: PointsRequest,
  count: number,
  onPart: (cloud: Cloud) => void,
): Promise<void> {
  const x = new Uint16Array(count);
  const y = new Uint16Array(count);
  await readPages(request, { include_positions: 'true' }, (page, offset) => {
    x.set(page.x ?? [], offset);
    y.set(page.y ?? [], offset);
    const known = offset + (page.x?.length ?? 0);
    onPart(new Cloud(x.subarray(0, known), y.subarray(0, known)));
  });
}

/** The codes of a field, one for each point. */
export async function readCodes(request: PointsRequest, count: number, field: string): Promise<Uint8Array> {
  const codes = new Uint8Array(count);
  await readPages(request, { field, include_positions: 'false' }, (page, offset) =>
    codes.set(page.codes ?? [], offset),
  );
  return codes;
}

export async function readIds(request: PointsRequest): Promise<readonly string[]> {
  const ids: string[] = [];
  await readPages(request, { include_ids: 'true', include_positions: 'false' }, (page) => {
    for (const id of page.ids ?? []) ids.push(id);
  });
  return ids;
}

/** @throws Error when the map was made anew meanwhile */
async function readPages(
  { index, namespace, madeAt, signal }: PointsRequest,
  query: Readonly<Record<string, string>>,
  onPage: (page: PointsPage, offset: number) => void,
): Promise<void> {
  for (let offset = 0; ; offset += PAGE_POINTS) {
    const { body: page } = await callIndex<PointsPage>(index, 'GET', `${pathOf(namespace)}/points`, {
      query: { ...query, offset: String(offset), limit: String(PAGE_POINTS) },
      signal,
    });
    if (page.made_at !== madeAt) throw new Error('The map was made anew; it is being read again.');
    onPage(page, offset);
    if (offset + PAGE_POINTS >= page.total) return;
  }
}

function pathOf(namespace: string): string {
  return `records/namespaces/${encodeURIComponent(namespace)}/map`;
}
