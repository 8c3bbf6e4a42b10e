// Why a provider refused a request, in its own words but without anything secret.
import { isJsonObject } from '../../../domain/json.ts';

const BODY_BYTES_MAX = 16 * 1024;
const READ_MS_MAX = 2_000;
const REASON_CHARS_MAX = 300;
const HIDDEN = '[hidden]';
/** Addresses, credentials, and long runs without blanks, which may be either. */
const SECRETS: readonly RegExp[] = [
  /\b[a-z][\w+.-]*:\/\/\S+/gi,
  /\bbearer\s+\S+/gi,
  /\b(?:sk|pk|rk|gsk|hf|key|token|api|pcsk)[-_][\w*.-]{4,}/gi,
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g,
  /[\w+/=*-]{32,}/g,
];

/**
 * Reads the reason from the body of a response, which is closed then; null when it gives none, or not in time. Never
 * throws.
 */
export async function refusalReason(
  response: Response,
  key: string | null,
  readMsMax = READ_MS_MAX,
): Promise<string | null> {
  const reader = response.body?.getReader();
  if (reader === undefined) return null;
  // Only who reads a body can cancel it, which ends the read that is under way.
  const cancel = () => reader.cancel().catch(() => undefined);
  const late = setTimeout(cancel, readMsMax);
  try {
    return shownReason(reasonIn(JSON.parse(await beginningOf(reader))), key);
  } catch {
    return null;
  } finally {
    clearTimeout(late);
    await cancel();
    reader.releaseLock();
  }
}

async function beginningOf(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    chunks.push(read.value);
    bytes += read.value.byteLength;
    if (bytes > BODY_BYTES_MAX) return '';
  }
  return Buffer.concat(chunks).toString();
}

/** Servers write `{"error": {"message"}}`, `{"error": "..."}`, `{"message"}` or `{"detail"}`. */
function reasonIn(body: unknown): string {
  if (!isJsonObject(body)) return '';
  const { error, message, detail } = body;
  const found = isJsonObject(error) ? error.message : (error ?? message ?? detail);
  return typeof found === 'string' ? found : '';
}

/** Returns one line of bounded length without keys and addresses; null for nothing. */
export function shownReason(reason: string, key: string | null): string | null {
  const line = reason.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  const known = key === null ? line : line.replaceAll(key, HIDDEN);
  const safe = SECRETS.reduce((text, pattern) => text.replace(pattern, HIDDEN), known);
  const shown = safe
    .slice(0, REASON_CHARS_MAX)
    .toWellFormed()
    .replace(/[.\s]+$/, '');
  return shown === '' ? null : shown;
}
