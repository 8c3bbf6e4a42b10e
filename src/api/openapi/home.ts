// What the base address answers at `/` to clients other than browsers: a small JSON object, without a credential.

const NAME = 'Pinyon';

/** Paths, not whole addresses: a proxy may serve them under a name that this server does not know. */
const LINKS = { docs: '/docs', openapi: '/openapi.json', health: '/health' };

/** @param version that of the product, unlike those of the interface */
export function homeObject(version: string): object {
  return { name: NAME, version, links: LINKS };
}
