// The Java client, driven by a program that Java compiles as it starts it.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client, Run, TestResult } from '../client.ts';
import { run, runOrFail } from '../command.ts';
import { readResults } from '../result-lines.ts';

const DRIVER = fileURLToPath(new URL('./Driver.java', import.meta.url));
const VERSION = '6.1.0';
const COORDINATES = `
      <groupId>io.pinecone</groupId>
      <artifactId>pinecone-client</artifactId>
      <version>${VERSION}</version>`;
const PROJECT = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>tests</groupId>
  <artifactId>tests</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>${COORDINATES}
    </dependency>
  </dependencies>
</project>
`;

export const javaDrivers: readonly Client[] = [
  {
    name: 'java-6',
    title: `Java ${VERSION}: indexes, records over gRPC, backups, collections, models`,
    needs: ['java', 'keytool', 'mvn', 'openssl'],
    packages: [`io.pinecone:pinecone-client:${VERSION}`],
    // Its calls of models go to the public address, and some of an index to https alone.
    tls: true,
    settings: {},
    exceptions: [],
    install: async (folder) => {
      writeFileSync(join(folder, 'pom.xml'), PROJECT);
      const words = ['mvn', '-B', '-q', 'dependency:copy-dependencies', '-DoutputDirectory=lib'];
      await runOrFail(words, { folder, log: 'install' });
    },
    run: runDriver,
  },
];

/** Java reads neither the file of the certificate nor the proxy from the environment. */
async function runDriver({ folder, variables }: Run): Promise<readonly TestResult[]> {
  const store = join(folder, 'trust.p12');
  const password = 'changeit';
  rmSync(store, { force: true });
  const certificate = ['-importcert', '-noprompt', '-file', variables.SSL_CERT_FILE ?? ''];
  const kept = ['-keystore', store, '-storetype', 'PKCS12', '-storepass', password];
  await runOrFail(['keytool', ...certificate, ...kept], { folder, log: 'trust' });
  const proxy = new URL(variables.HTTPS_PROXY ?? '');
  const properties = {
    'javax.net.ssl.trustStore': store,
    'javax.net.ssl.trustStorePassword': password,
    'https.proxyHost': proxy.hostname,
    'https.proxyPort': proxy.port,
    'http.nonProxyHosts': 'localhost|127.0.0.1',
  };
  const options = Object.entries(properties).map(([name, value]) => `-D${name}=${value}`);
  const words = ['java', ...options, '-cp', 'lib/*', DRIVER];
  return readResults(await run(words, { folder, log: 'tests', env: variables }));
}
