// The headers of every HTML page: what it may load and run, and that no other page frames it.

/** Parts of a policy that do not fall back to `default-src`. */
const ALWAYS = "base-uri 'none'; frame-ancestors 'none'";

/** A page that loads and runs nothing, and has styles of its own in it. */
export const PLAIN_PAGE = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'";
/** A plain page with a form that it sends to this server. */
export const FORM_PAGE = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'";
/** The console: everything comes from files of this server. */
export const CONSOLE_PAGE = "default-src 'self'; object-src 'none'; form-action 'self'";

/** @param policy one of the above */
export function pageHeaders(policy: string): Readonly<Record<string, string>> {
  return {
    'content-security-policy': `${policy}; ${ALWAYS}`,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    // Addresses of pages contain secrets of links.
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  };
}
