// Checks each JSON response that `fetch` gets in this process, official clients included. Imported for its effect.
import { checkResponse } from './openapi-check.ts';

const plainFetch = globalThis.fetch;

globalThis.fetch = async (input, init) => {
  const request = new Request(input, init?.body === undefined ? init : { ...init, body: null });
  const response = await plainFetch(input, init);
  if (!/^application\/json/.test(response.headers.get('content-type') ?? 'application/json')) return response;
  const text = await response.clone().text();
  const { pathname } = new URL(request.url);
  checkResponse(
    { method: request.method, path: pathname, headers: Object.fromEntries(request.headers) },
    { status: response.status, header: (name) => response.headers.get(name), text },
  );
  return response;
};
