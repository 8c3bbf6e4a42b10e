// Puts the address and the key of a test's server in the place of those that examples show.
import { API_KEY, type Service } from '../support/service.ts';

/** The address of the default settings, and keys as readers see them. */
const BASE = /http:\/\/localhost:5080/g;
const KEYS = /YOUR[ _](?:API[ _])?KEY/g;

export interface Place {
  readonly url: string;
  readonly key: string;
  /** Of the service account that owns the organization. */
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The place of a server at its first start, which prints the credentials of the owner. */
export function placeOf({ url, process }: Service): Place {
  const [, clientId = ''] = /client id +(\S+)/.exec(process.printed) ?? [];
  const [, clientSecret = ''] = /client secret +(\S+)/.exec(process.printed) ?? [];
  return { url, key: API_KEY, clientId, clientSecret };
}

export function withPlaces(code: string, { url, key, clientId, clientSecret }: Place): string {
  return code
    .replace(BASE, () => url)
    .replace(KEYS, () => key)
    .replaceAll('YOUR CLIENT ID', () => clientId)
    .replaceAll('YOUR CLIENT SECRET', () => clientSecret);
}
