// The error bodies of the contract, for comparing whole answers.

/** Standard body. */
export function standard(status: number, code: string, message: string) {
  return { status, error: { code, message } };
}

/** Body of the vectors and records operations: the standard one and the rpc one in one. */
export function both(facts: { status: number; name: string; code: number }, message: string) {
  return { ...standard(facts.status, facts.name, message), ...rpc(facts.code, message) };
}

export const INVALID_DATA = { status: 400, name: 'INVALID_ARGUMENT', code: 3 } as const;

/** Body of the namespaces operations. */
export function rpc(code: number, message: string) {
  return { code, message, details: [] };
}

export const UNAUTHENTICATED = standard(401, 'UNAUTHENTICATED', 'Invalid API key.');
