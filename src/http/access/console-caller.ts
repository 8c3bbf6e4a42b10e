// The callers of the console: a session's cookie with the token that its page adds, in place of a key or token.
import type { IncomingHttpHeaders } from 'node:http';
import { PROJECT_HEADER, SESSION_HEADER } from '../../api/rest/console/console-headers.ts';
import type { ConsoleSessions, SessionHolder } from '../../app/access/console-sessions.ts';
import { presentedCookie } from './session-cookie.ts';

/** What browsers say of requests that a page of this very origin made. */
const OWN_ORIGIN = 'same-origin';

/** True for requests that rely on a session: a key or a token counts in its place. */
export function isConsoleRequest(headers: IncomingHttpHeaders): boolean {
  return (
    headers['api-key'] === undefined &&
    headers.authorization === undefined &&
    headers[SESSION_HEADER] !== undefined
  );
}

/**
 * Returns the holder of the session; undefined without a valid one. The cookie alone never counts: browsers add it to
 * requests of other pages, and show it to the servers at other ports of the host. No other origin can add the token.
 */
export function sessionHolderOf(
  sessions: Pick<ConsoleSessions, 'find'>,
  headers: IncomingHttpHeaders,
): SessionHolder | undefined {
  const origin = headers['sec-fetch-site'];
  const host = hostOf(headers);
  const cookie = presentedCookie(headers, host);
  const token = headers[SESSION_HEADER];
  if (cookie === undefined || typeof token !== 'string') return undefined;
  if (origin !== undefined && origin !== OWN_ORIGIN) return undefined;
  const project = headers[PROJECT_HEADER];
  return sessions.find({ cookie, token }, host, typeof project === 'string' ? project : undefined);
}

/** The host name and port that the browser asked. */
export function hostOf(headers: IncomingHttpHeaders): string {
  return String(headers[':authority'] ?? headers.host ?? '').toLowerCase();
}
