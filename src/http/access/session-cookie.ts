// The cookie of a console session: which name it has, and how it is set, found and removed.
import type { IncomingHttpHeaders } from 'node:http';

/** Browsers accept the prefix for secure cookies of this very host only. */
const SECURE_NAME = '__Host-pinyon-session';
/** Cookies of one host are shared by its ports, so the name has the port. */
const PLAIN_NAME = 'pinyon-session-';
const SECURE_PENDING = '__Host-pinyon-sign-in-';
const PLAIN_PENDING = 'pinyon-sign-in-';
const HTTP_PORT = '80';

/** True where the browser speaks TLS, to this server or to a proxy in front of it. */
export function isSecure(protocol: string, headers: IncomingHttpHeaders): boolean {
  return protocol === 'https' || headers['x-forwarded-proto'] === 'https';
}

/** The value of the `Set-Cookie` header; it ends with the browser's session. */
export function sessionCookie(value: string, host: string, secure: boolean): string {
  return `${nameFor(host, secure)}=${value}; ${attributes(secure)}`;
}

export function removedCookie(host: string, secure: boolean): string {
  return `${nameFor(host, secure)}=; Max-Age=0; ${attributes(secure)}`;
}

/** Returns the value in the request's cookies; undefined without one. */
export function presentedCookie({ cookie }: IncomingHttpHeaders, host: string): string | undefined {
  return cookieValue(cookie, SECURE_NAME) ?? cookieValue(cookie, nameFor(host, false));
}

/** Holds a sign-in at a provider while the browser is away; each has its own, so that tabs do not disturb each other. */
export function pendingCookie(
  id: string,
  { value, seconds }: { readonly value: string; readonly seconds: number },
  { host, secure }: CookiePlace,
): string {
  return `${pendingName(id, host, secure)}=${value}; Max-Age=${seconds}; ${attributes(secure)}`;
}

/** Returns the value of a pending sign-in in the request's cookies; undefined without one. */
export function presentedPending(
  { cookie }: IncomingHttpHeaders,
  id: string,
  { host, secure }: CookiePlace,
): string | undefined {
  return cookieValue(cookie, pendingName(id, host, secure));
}

export interface CookiePlace {
  readonly host: string;
  /** True where the browser speaks TLS. */
  readonly secure: boolean;
}

function pendingName(id: string, host: string, secure: boolean): string {
  return secure ? `${SECURE_PENDING}${id}` : `${PLAIN_PENDING}${portOf(host)}-${id}`;
}

function portOf(host: string): string {
  const [, port = HTTP_PORT] = /:(\d+)$/.exec(host) ?? [];
  return port;
}

function cookieValue(cookies: string | undefined, name: string): string | undefined {
  const pairs = (cookies ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

function nameFor(host: string, secure: boolean): string {
  return secure ? SECURE_NAME : `${PLAIN_NAME}${portOf(host)}`;
}

function attributes(secure: boolean): string {
  return `Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
}
