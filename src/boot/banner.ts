// The banner of a started service: its addresses, where the key is, and a first client.
import { resolve } from 'node:path';
import type { FirstAccess, FirstKey, FirstOwner } from '../app/access/bootstrap-access.ts';
import type { Settings } from './settings.ts';

export interface BannerFacts {
  readonly version: string;
  readonly settings: Settings;
  /** The port in use, even if the setting was 0. */
  readonly port: number;
  readonly firstAccess: FirstAccess;
  /** Signs the first owner in to the console; null after the first start. */
  readonly signInLink: string | null;
  /** Notices for the operator, one sentence each. */
  readonly notices: readonly string[];
}

export function banner({ version, settings, port, firstAccess, signInLink, notices }: BannerFacts): string {
  const base = baseUrl(settings, port);
  const { key, owner } = firstAccess;
  const shownKey = key.origin === 'generated' ? key.key : 'YOUR_API_KEY';
  return `Pinyon ${version} is ready.

  Base address  ${base}
${listeningLine(settings, port)}  Indexes       ${indexAddresses(settings)}
  Reference     ${base}/docs
  Console       ${signInLink === null ? base : `${signInLink}  (signs you in, once)`}
  Data          ${resolve(settings.dataDir)}
  API key       ${keyLine(key)}
  Admin         ${ownerLine(owner)}
${notices.map((notice) => `\n${notice}`).join('')}${notices.length > 0 ? '\n' : ''}
A client, with the official SDK (npm install @pinecone-database/pinecone):

  import { Pinecone } from '@pinecone-database/pinecone';
  const pinecone = new Pinecone({ apiKey: '${shownKey}', controllerHostUrl: '${base}' });
  await pinecone.createIndex({ name: 'books', dimension: 3, spec: { serverless: { cloud: 'aws', region: 'us-east-1' } }, waitUntilReady: true });
  await pinecone.index({ name: 'books' }).upsert({ records: [{ id: 'first', values: [0.1, 0.2, 0.3] }] });
  console.log(await pinecone.index({ name: 'books' }).query({ vector: [0.1, 0.2, 0.3], topK: 1 }));
`;
}

/** The address that clients use as their controller host. */
export function baseUrl({ publicUrl, tlsCert, publicHost }: Settings, port: number): string {
  if (publicUrl !== null) return publicUrl;
  return `${tlsCert === null ? 'http' : 'https'}://${publicHost}:${port}`;
}

/** Where a proxy finds the server. */
function listeningLine({ publicUrl, tlsCert, bind }: Settings, port: number): string {
  if (publicUrl === null) return '';
  return `  Listens on    ${tlsCert === null ? 'http' : 'https'}://${bind}:${port}\n`;
}

function indexAddresses({ publicDomain, indexPorts }: Settings): string {
  return publicDomain === null
    ? `one port each, from ${indexPorts.first} to ${indexPorts.last}`
    : `one host name each, {index}-{project}.${publicDomain}`;
}

function keyLine(firstKey: FirstKey): string {
  if (firstKey.origin === 'generated') return `${firstKey.key}  (shown only once: save it)`;
  return firstKey.origin === 'environment'
    ? 'the value of PINYON_API_KEY'
    : 'the key shown at the first start; set PINYON_API_KEY to add your own';
}

function ownerLine(owner: FirstOwner): string {
  if (owner.origin === 'generated') {
    return `client id     ${owner.clientId}
                client secret ${owner.clientSecret}  (shown only once: save it)`;
  }
  return owner.origin === 'environment'
    ? 'the service account in PINYON_ADMIN_CLIENT_ID'
    : 'the service account shown at the first start; locked out? pinyon admin reset-credentials';
}
