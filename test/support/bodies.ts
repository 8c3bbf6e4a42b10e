// The error bodies of the contract, for comparing whole answers.

/** Standard body. */
export function standard(status: number, code: string, message: string) {
  return { status, error: { code, message } };
}

/** Body of the vectors and namespaces operations. */
export function rpc(code: number, message: string) {
  return { code, message, details: [] };
}

export const UNAUTHENTICATED = standard(401, 'UNAUTHENTICATED', 'Invalid API key.');
