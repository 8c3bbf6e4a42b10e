// The server of one run and the variables by which most clients find it: address, credentials, proxy and certificate.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { API_KEY, type Environment, type Service, startService } from '../support/service.ts';
import type { Client } from './client.ts';
import { openProxy } from './public-addresses.ts';
import { makeCertificate } from './tls.ts';

export interface Server {
  readonly service: Service;
  readonly variables: Environment;
  stop(): Promise<void>;
}

const CLIENT_ID = 'test-clients';
/** Names that clients of fixed addresses put into their requests, which the proxy brings here. */
const PINYON_ALLOWED_HOSTS = 'api.pinecone.io,login.pinecone.io,prod-1-data.ke.pinecone.io';
const CLIENT_SECRET = 'test-clients-secret-0123456789';

/** Starts the real program, with TLS if the client needs it. */
export async function startServer({ settings, tls }: Client): Promise<Server> {
  const admin = { PINYON_ADMIN_CLIENT_ID: CLIENT_ID, PINYON_ADMIN_CLIENT_SECRET: CLIENT_SECRET };
  const common = { ...admin, ...settings };
  if (!tls) {
    const service = await startService({ env: common });
    return { service, variables: variablesOf(service.url), stop: () => service.dispose() };
  }
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-clients-tls-'));
  const { authority, certificate, key } = await makeCertificate(folder);
  const files = { PINYON_TLS_CERT: certificate, PINYON_TLS_KEY: key };
  const service = await startService({ env: { ...common, ...files, PINYON_ALLOWED_HOSTS } });
  const proxy = await openProxy(Number(new URL(service.url).port));
  const stop = async (): Promise<void> => {
    proxy.close();
    await service.dispose();
    rmSync(folder, { recursive: true, force: true });
  };
  const trust = { SSL_CERT_FILE: authority, REQUESTS_CA_BUNDLE: authority, NODE_EXTRA_CA_CERTS: authority };
  const through = { HTTPS_PROXY: proxy.url, NO_PROXY: 'localhost,127.0.0.1' };
  return { service, variables: { ...variablesOf(service.url), ...trust, ...through }, stop };
}

function variablesOf(url: string): Environment {
  return {
    PINYON_URL: url,
    PINECONE_API_KEY: API_KEY,
    PINECONE_CONTROLLER_HOST: url,
    PINECONE_CLIENT_ID: CLIENT_ID,
    PINECONE_CLIENT_SECRET: CLIENT_SECRET,
  };
}
