// Says in one sentence why no server answers: nobody listens, the name is unknown, the certificate is not trusted.

const CERTIFICATE_REASONS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its authority is not known here',
  UNABLE_TO_GET_ISSUER_CERT: 'its authority is not known here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its authority is not known here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its authority is not known here, or the server sends an incomplete chain',
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet; is the clock of this machine right?',
  CERT_UNTRUSTED: 'its authority is not trusted',
  CERT_REJECTED: 'its authority is not trusted',
};
/** Reasons that another certificate to trust would mend. */
const MENDED_BY_CA = /SELF_SIGNED|ISSUER|VERIFY_LEAF|UNTRUSTED|REJECTED/;

const CONNECTION_REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused; is the server running?',
  ECONNRESET: 'it closed the connection',
  UND_ERR_SOCKET: 'it closed the connection',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name could not be looked up',
  EHOSTUNREACH: 'no way leads to that host',
  ENETUNREACH: 'no way leads to that network',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it speaks HTTP, not HTTPS; does the URL begin with http://?',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it speaks HTTP, not HTTPS; does the URL begin with http://?',
};

/** A sentence on an error of a connection to `url`. */
export function connectionProblem(error: unknown, url: string): string {
  const code = codeOf(error);
  const reason = CERTIFICATE_REASONS[code];
  if (reason !== undefined) {
    const advice = MENDED_BY_CA.test(code) ? ' Pass it, or that of its authority, with --ca FILE.' : '';
    return `The certificate of ${url} is not trusted: ${endOf(reason)}${advice}`;
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const { hostname } = new URL(url);
    return `The certificate of ${url} is not trusted: it is for other names than ${hostname}.`;
  }
  return `No server responds at ${url}: ${endOf(CONNECTION_REASONS[code] ?? tlsReason(code) ?? reasonOf(error))}`;
}

/** Whether the address itself is wrong, rather than the server busy or restarting. */
export function isWrongAddress(error: unknown): boolean {
  const code = codeOf(error);
  // An error without a code is not a network failure: the address itself is refused.
  const isWrong = code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === '';
  return (isWrong && !isTimeout(error)) || isUntrusted(error);
}

/** Whether to try again is pointless: the certificate or the protocol is wrong. */
export function isUntrusted(error: unknown): boolean {
  const code = codeOf(error);
  return code in CERTIFICATE_REASONS || code.startsWith('ERR_TLS_') || code.startsWith('ERR_SSL_');
}

/** Whether a file of this machine that was being sent could not be read. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof Error && error.cause.name === 'NotReadableError';
}

function tlsReason(code: string): string | null {
  if (!code.startsWith('ERR_SSL_')) return null;
  return 'the TLS handshake failed; does it speak HTTPS at this port?';
}

function endOf(reason: string): string {
  return /[.?!]$/.test(reason) ? reason : `${reason}.`;
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

/** The code of an error, or of what caused it. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : undefined;
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
}

function reasonOf(error: unknown): string {
  if (isTimeout(error)) return 'it takes too long to answer';
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return codeOf(error) || (cause instanceof Error ? cause.message : String(cause));
}
