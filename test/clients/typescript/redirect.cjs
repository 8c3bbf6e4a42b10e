// Loaded into the client's tests, which call the public service by its addresses: sends those calls to this server.
const PUBLIC = /^https:\/\/[a-z0-9.-]+\.pinecone\.io/;
const base = process.env.PINYON_URL;
const original = globalThis.fetch;

globalThis.fetch = async (input, init) => {
  if (typeof input !== 'string' || !PUBLIC.test(input)) return original(input, init);
  const response = await original(input.replace(PUBLIC, base), init);
  // Clients quote the address of a failed call in their messages.
  return Object.defineProperty(response, 'url', { value: input });
};
