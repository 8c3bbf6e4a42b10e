// Opens a file at an address, from any byte on.
import { ModelsProblem } from '../settings/fields.ts';

const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR_MIN = 500;

export interface UrlPiece {
  readonly url: string;
  /** First requested byte; the server may send the whole file nevertheless. */
  readonly from: number;
  readonly signal: AbortSignal;
}

/** @throws ModelsProblem for a lasting error status, Error for one that may pass */
export async function openUrl({ url, from, signal }: UrlPiece): Promise<Response> {
  const response = await fetch(url, { headers: from > 0 ? { range: `bytes=${from}-` } : {}, signal });
  if (response.ok) {
    refuseInsecure(url, response);
    return response;
  }
  await response.body?.cancel();
  const { status } = response;
  if (status === TOO_MANY_REQUESTS || status >= SERVER_ERROR_MIN) {
    throw new Error(`${new URL(url).host} answered status ${status}`);
  }
  throw new ModelsProblem(`${new URL(url).host} answered status ${status} for ${new URL(url).pathname}`);
}

/** Hubs redirect large files to other hosts. Checksums protect the content, encryption keeps it private. */
function refuseInsecure(url: string, response: Response): void {
  if (url.startsWith('https:') && !response.url.startsWith('https:')) {
    throw new ModelsProblem(`${new URL(url).host} sent the download to an address without encryption`);
  }
}
