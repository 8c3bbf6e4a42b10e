// Loaded into the client's tests, which call the public service by its addresses: sends those calls to this server.
const PUBLIC = /^https:\/\/[a-z0-9.-]+\.pinecone\.io/;
const base = process.env.PINYON_URL;
const original = globalThis.fetch;

globalThis.fetch = async (input, init) => {
  if (typeof input !== 'string' || !PUBLIC.test(input)) return original(input, init);
  return withAddress(await original(input.replace(PUBLIC, base), init), input);
};

/** Clients quote the address of a failed call in their messages, from the response or its copy. */
function withAddress(response, url) {
  const { clone } = response;
  return Object.defineProperties(response, {
    url: { value: url },
    clone: { value: () => withAddress(clone.call(response), url) },
  });
}
