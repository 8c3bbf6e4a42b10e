// Client of a model hub: lists a repository, and downloads parts of its files.
import { type JsonObject, membersOf } from '../../domain/json.ts';
import { ModelsProblem } from '../settings/fields.ts';
import { openUrl } from './open-url.ts';
import type { OpenPiece, SourceFile } from './source.ts';

export const HUB_URL = 'https://huggingface.co';

/** The hub does not answer, or not with a listing: another source may have the model. */
export class HubUnreachable extends ModelsProblem {}

const LISTING_MS = 30_000;
const LISTING_BYTES_MAX = 4 * 1024 * 1024;

export interface HubListing {
  readonly commit: string;
  readonly files: ReadonlyMap<string, SourceFile>;
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

export interface Repository {
  readonly hub: string;
  readonly repository: string;
  readonly commit: string;
}

/** Opens files of one commit. */
export function hubPieces({ hub, repository, commit }: Repository): OpenPiece {
  return ({ path, ...piece }) => openUrl({ url: `${hub}/${repository}/resolve/${commit}/${path}`, ...piece });
}

async function getJson(url: string): Promise<unknown> {
  let text: string;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(LISTING_MS) });
    if (!response.ok) throw new HubUnreachable(`${url} answered status ${response.status}`);
    text = await response.text();
  } catch (error) {
    if (error instanceof ModelsProblem) throw error;
    throw new HubUnreachable(
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

function fileOf({ type, path, size, oid, lfs }: JsonObject): SourceFile | undefined {
  if (type !== 'file' || typeof path !== 'string' || typeof size !== 'number') return undefined;
  const large = membersOf(lfs).oid;
  if (typeof large === 'string') return { path, bytes: size, checksum: { kind: 'sha256', hex: large } };
  return typeof oid === 'string' ? { path, bytes: size, checksum: { kind: 'git', hex: oid } } : undefined;
}

function strange(address: string): ModelsProblem {
  return new ModelsProblem(`${address} does not respond like a model hub`);
}
