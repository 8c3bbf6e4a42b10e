// The requests that show whether an index still answers as it did, and their answers.
import { call } from '../call.ts';
import { API_KEY } from '../service.ts';

const VERSION = '2026-07';
const ASSISTANT_VERSION = '2026-04';

/** One request. */
export interface FaultRequest {
  /** What it belongs to: an index, an assistant, or 'catalog'. */
  readonly owner: string;
  readonly method: string;
  readonly path: string;
  /** Host name of the index; undefined for the base address. */
  readonly host?: string;
  readonly body?: unknown;
  /** True to read the file that the answer links to instead of the answer. */
  readonly isDownload?: boolean;
}

/** An answer as it is compared. `broken` when the connection failed or the body is not as documented. */
export interface FaultAnswer {
  readonly status: number | 'broken';
  readonly text: string;
}

/** Fields that differ from run to run. */
const VARYING = new Set(['usage', 'signed_url', 'updated_on', 'updated_at', 'lsn']);

export async function answerTo(url: string, request: FaultRequest): Promise<FaultAnswer> {
  const { method, path, host, body } = request;
  try {
    const version = path.startsWith('/assistant/') ? ASSISTANT_VERSION : VERSION;
    const answer = await call(url, method, path, {
      key: API_KEY,
      version,
      headers: host === undefined ? {} : { host },
      ...(body !== undefined && { body }),
    });
    if (request.isDownload === true && answer.status === 200) {
      const { signed_url: link } = answer.body as { readonly signed_url: string };
      const file = await fetch(link);
      return { status: file.status, text: await file.text() };
    }
    const isJson = answer.body !== undefined;
    const isVarying = (key: string) => VARYING.has(key) || (key === 'id' && path.endsWith('/context'));
    const text = isJson
      ? JSON.stringify(answer.body, (key, value) => (isVarying(key) ? undefined : value))
      : answer.text;
    return { status: answer.status, text };
  } catch (error) {
    return { status: 'broken', text: error instanceof Error ? error.message : String(error) };
  }
}
