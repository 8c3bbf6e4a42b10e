// Guarantees of mail: what the server receives, when a password is sent, and that failures are errors.
import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { createSecureContext, getCACertificates, setDefaultCACertificates, TLSSocket } from 'node:tls';
import { inspect } from 'node:util';
import { selfSigned } from '../../http/testing/self-signed.ts';
import { sendMail } from './send-mail.ts';

const MAIL = { from: 'server@example.org', to: 'a@example.org', subject: 'Hi', text: 'one\n.two\nthree' };
const ANONYMOUS = { user: null, password: null };
const ACCOUNT = { user: 'me', password: 'secret' };
const PLAIN_CREDENTIALS = Buffer.from(`\0${ACCOUNT.user}\0${ACCOUNT.password}`).toString('base64');
const CERTIFICATE = selfSigned();
const servers: { close(): unknown }[] = [];
after(() => {
  for (const server of servers) server.close();
});

/** A mail server that records the lines it receives and answers each by its first word, 250 unless given another reply. */
async function mailServer(answers: Readonly<Record<string, string>> = {}) {
  const received: string[] = [];
  const converse = (socket: Socket) => {
    let isData = false;
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
      for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
        const line = text.slice(0, end);
        text = text.slice(end + 2);
        received.push(line);
        const [word = ''] = line.split(' ');
        if (isData && line !== '.') continue;
        isData = word === 'DATA';
        socket.write(`${answers[word] ?? (isData ? '354 go' : '250 fine')}\r\n`);
        if (word === 'STARTTLS' && answers.STARTTLS?.startsWith('220')) {
          socket.removeAllListeners('data');
          const { cert, key } = CERTIFICATE;
          converse(
            new TLSSocket(socket, { isServer: true, secureContext: createSecureContext({ cert, key }) }),
          );
          return;
        }
      }
    });
    socket.on('error', () => undefined);
  };
  const server = createServer((socket) => {
    socket.write('220 ready\r\n');
    converse(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { received, settings: { host: '127.0.0.1', port, implicitTls: false } };
}

test('delivers a mail whole, with lines that begin with a dot', async () => {
  const { received, settings } = await mailServer({ EHLO: '250-mail\r\n250 8BITMIME' });
  await sendMail({ ...settings, ...ANONYMOUS }, MAIL);
  assert.ok(received.some((line) => line.startsWith('MAIL FROM:<server@example.org>')));
  assert.ok(received.includes('RCPT TO:<a@example.org>'));
  assert.ok(received.includes('Auto-Submitted: auto-generated'));
  assert.deepEqual(received.slice(received.indexOf('')).slice(0, 5), ['', 'one', '..two', 'three', '.']);
});

test('reports the reply of a server that refuses a mail', async () => {
  const { settings } = await mailServer({ RCPT: '550 no such person' });
  await assert.rejects(sendMail({ ...settings, ...ANONYMOUS }, MAIL), /550 no such person/);
});

test('sends a password neither in the clear nor to a server without a certificate of its name', async () => {
  const plain = await mailServer({ STARTTLS: '502 unknown command' });
  await assert.rejects(sendMail({ ...plain.settings, ...ACCOUNT }, MAIL), /STARTTLS/);
  const forged = await mailServer({ EHLO: '250-mail\r\n250 STARTTLS', STARTTLS: '220 go' });
  await assert.rejects(sendMail({ ...forged.settings, ...ACCOUNT }, MAIL), /certificate/i);
  for (const { received } of [plain, forged]) assert.ok(!received.some((line) => line.startsWith('AUTH')));
});

test('encrypts every connection to a server that offers it, or fails', async () => {
  const { received, settings } = await mailServer({ EHLO: '250-mail\r\n250 STARTTLS', STARTTLS: '220 go' });
  await assert.rejects(sendMail({ ...settings, ...ANONYMOUS }, MAIL), /certificate/i);
  assert.ok(!received.some((line) => line.startsWith('MAIL')));
});

test('refuses addresses that would smuggle in commands', async () => {
  const { received, settings } = await mailServer();
  for (const to of ['a@example.org>\r\nRCPT TO:<b@example.org', 'a@example.org\n.']) {
    await assert.rejects(sendMail({ ...settings, ...ANONYMOUS }, { ...MAIL, to }), /line breaks/);
  }
  assert.deepEqual(received, []);
});

test('reads one address as one recipient, whatever it contains', async () => {
  const { received, settings } = await mailServer();
  await sendMail({ ...settings, ...ANONYMOUS }, { ...MAIL, to: 'a@example.org, b@example.org' }).catch(
    () => undefined,
  );
  assert.ok(received.filter((line) => line.startsWith('RCPT')).length <= 1);
});

test('gives up on a reply that never ends', async () => {
  const { settings } = await mailServer({ EHLO: `250-${'x'.repeat(70_000)}` });
  await assert.rejects(sendMail({ ...settings, ...ANONYMOUS }, MAIL), /exceeds maximum allowed size/);
});

test('signs in over STARTTLS to a server it trusts, and keeps the password out of a refusal', async () => {
  const trusted = getCACertificates('default');
  setDefaultCACertificates([CERTIFICATE.cert]);
  after(() => setDefaultCACertificates(trusted));
  const answers = { EHLO: '250-mail\r\n250 STARTTLS', STARTTLS: '220 go', AUTH: '535 wrong password' };
  const { received, settings } = await mailServer(answers);
  await assert.rejects(sendMail({ ...settings, host: 'localhost', ...ACCOUNT }, MAIL), (error: Error) => {
    assert.match(error.message, /535 wrong password/);
    const shown = inspect(error, { depth: 9 });
    return !shown.includes('secret') && !shown.includes(PLAIN_CREDENTIALS);
  });
  assert.ok(received.includes(`AUTH PLAIN ${PLAIN_CREDENTIALS}`));
});

test('fails when no server listens', async () => {
  const { settings } = await mailServer();
  servers.pop()?.close();
  await assert.rejects(sendMail({ ...settings, ...ANONYMOUS }, MAIL), /ECONNREFUSED/);
});
