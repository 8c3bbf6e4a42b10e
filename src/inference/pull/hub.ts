// Client of a model hub: lists a repository, and downloads parts of its files.
import { type JsonObject, membersOf } from '../../domain/json.ts';
import { ModelsProblem } from '../settings/fields.ts';

export const HUB_URL = 'https://huggingface.co';

const LISTING_MS = 30_000;
const LISTING_BYTES_MAX = 4 * 1024 * 1024;

export interface HubFile {
  readonly path: string;
  readonly bytes: number;
  /** SHA-256 of large files; for small ones, the SHA-1 by which git names them. */
  readonly checksum: { readonly kind: 'sha256' | 'git'; readonly hex: string };
}

export interface HubListing {
  readonly commit: string;
  readonly files: ReadonlyMap<string, HubFile>;
}

/** @throws ModelsProblem when the hub cannot be reached or its response is invalid */
export async function listRepository(hub: string, repository: string): Promise<HubListing> {
  const about = membersOf(await getJson(`${hub}/api/models/${repository}/revision/main`));
  const { sha } = about;
  if (typeof sha !== 'string' || !/^[0-9a-f]{7,64}$/.test(sha)) throw strange(hub);
  const entries = await getJson(`${hub}/api/models/${repository}/tree/${sha}?recursive=true`);
  if (!Array.isArray(entries)) throw strange(hub);
  const files = entries.map(membersOf).flatMap((entry) => fileOf(entry) ?? []);
  return { commit: sha, files: new Map(files.map((file) => [file.path, file])) };
}

export interface PieceRequest {
  readonly hub: string;
  readonly repository: string;
  readonly commit: string;
  readonly path: string;
  /** First requested byte; the hub may send the whole file nevertheless. */
  readonly from: number;
  readonly signal: AbortSignal;
}

/** @throws ModelsProblem for a lasting error status, Error for one that may pass */
export async function openPiece({
  hub,
  repository,
  commit,
  path,
  from,
  signal,
}: PieceRequest): Promise<Response> {
  const response = await fetch(`${hub}/${repository}/resolve/${commit}/${path}`, {
    headers: from > 0 ? { range: `bytes=${from}-` } : {},
    signal,
  });
  if (response.ok) {
    refuseInsecure(hub, response);
    return response;
  }
  await response.body?.cancel();
  if (response.status === 429 || response.status >= 500)
    throw new Error(`the hub answered status ${response.status}`);
  throw new ModelsProblem(`the hub answered status ${response.status} for ${path} of ${repository}`);
}

/** Hubs redirect large files to other hosts. Checksums protect the content, encryption keeps it private. */
function refuseInsecure(hub: string, response: Response): void {
  if (hub.startsWith('https:') && !response.url.startsWith('https:')) {
    throw new ModelsProblem('the hub sent the download to an address without encryption');
  }
}

async function getJson(url: string): Promise<unknown> {
  let text: string;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(LISTING_MS) });
    if (!response.ok) throw new ModelsProblem(`${url} answered status ${response.status}`);
    text = await response.text();
  } catch (error) {
    if (error instanceof ModelsProblem) throw error;
    throw new ModelsProblem(
      `${new URL(url).host} cannot be reached. Where there is no network, see docs/inference.md`,
    );
  }
  if (text.length > LISTING_BYTES_MAX) throw strange(url);
  try {
    return JSON.parse(text);
  } catch {
    throw strange(url);
  }
}

function fileOf({ type, path, size, oid, lfs }: JsonObject): HubFile | undefined {
  if (type !== 'file' || typeof path !== 'string' || typeof size !== 'number') return undefined;
  const large = membersOf(lfs).oid;
  if (typeof large === 'string') return { path, bytes: size, checksum: { kind: 'sha256', hex: large } };
  return typeof oid === 'string' ? { path, bytes: size, checksum: { kind: 'git', hex: oid } } : undefined;
}

function strange(address: string): ModelsProblem {
  return new ModelsProblem(`${address} does not respond like a model hub`);
}
