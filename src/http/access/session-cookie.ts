// The cookie of a console session: which name it has, and how it is set, found and removed.
import type { IncomingHttpHeaders } from 'node:http';

/** Browsers accept the prefix for secure cookies of this very host only. */
const SECURE_NAME = '__Host-pinyon-session';
/** Cookies of one host are shared by its ports, so the name has the port. */
const PLAIN_NAME = 'pinyon-session-';
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
  const pairs = (cookie ?? '').split(';').map((pair) => pair.trim());
  const find = (name: string) => pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
  return find(SECURE_NAME) ?? find(nameFor(host, false));
}

function nameFor(host: string, secure: boolean): string {
  const [, port = HTTP_PORT] = /:(\d+)$/.exec(host) ?? [];
  return secure ? SECURE_NAME : `${PLAIN_NAME}${port}`;
}

function attributes(secure: boolean): string {
  return `Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
}
