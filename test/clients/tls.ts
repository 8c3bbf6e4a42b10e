// A certificate authority made for one run, and a certificate for this machine and the public service's host names.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runOrFail } from './command.ts';

export interface Certificate {
  /** Paths of PEM files. */
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

const NAMES = 'DNS:localhost,DNS:*.pinecone.io,DNS:*.ke.pinecone.io,IP:127.0.0.1';
const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
const DAYS = '30';

/** Makes both with the command `openssl`, in the folder. */
export async function makeCertificate(folder: string): Promise<Certificate> {
  const path = (name: string): string => join(folder, name);
  const openssl = (log: string, ...words: readonly string[]): Promise<string> =>
    runOrFail(['openssl', ...words], { folder, log });
  const [authority, authorityKey] = [path('authority.pem'), path('authority.key')];
  const [certificate, key, request] = [path('server.pem'), path('server.key'), path('server.csr')];
  const whole = ['-keyout', authorityKey, '-out', authority, '-days', DAYS, '-subj', '/CN=Pinyon tests'];
  await openssl('authority', 'req', '-x509', ...NEW_KEY, ...whole);
  await openssl('request', 'req', ...NEW_KEY, '-keyout', key, '-out', request, '-subj', '/CN=localhost');
  const extensions = path('server.ext');
  writeFileSync(
    extensions,
    `subjectAltName=${NAMES}\nbasicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\n`,
  );
  const signed = ['-CA', authority, '-CAkey', authorityKey, '-CAcreateserial', '-extfile', extensions];
  await openssl('sign', 'x509', '-req', '-in', request, '-out', certificate, '-days', DAYS, ...signed);
  return { authority, certificate, key };
}
