// The headers of every HTML page: what it may load and run, and that no other page frames it.

/** Parts of a policy that do not fall back to `default-src`. */
const ALWAYS = "base-uri 'none'; frame-ancestors 'none'";

/** A page that loads and runs nothing, has styles of its own in it, and a form that it sends to this server. */
export const FORM_PAGE = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'";
/** The console: everything comes from files of this server. */
export const CONSOLE_PAGE = "default-src 'self'; object-src 'none'; form-action 'self'";
/**
 * The API reference: scripts and data of this server alone. Its renderer sets style attributes, which need
 * `unsafe-inline`, and has small pictures in its styles.
 */
export const REFERENCE_PAGE =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; form-action 'none'";

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
