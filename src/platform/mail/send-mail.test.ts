// Guarantees of mail: what the server is told, when a password may be, and that failures are errors.
import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { createSecureContext, TLSSocket } from 'node:tls';
import { selfSigned } from '../../http/testing/self-signed.ts';
import { sendMail } from './send-mail.ts';

const MAIL = { from: 'server@example.org', to: 'a@example.org', subject: 'Hi', text: 'one\n.two\nthree' };
const NOBODY = { user: null, password: null };
const SOMEBODY = { user: 'me', password: 'secret' };
const servers: { close(): unknown }[] = [];
after(() => {
  for (const server of servers) server.close();
});

/** A mail server that keeps what it is told and answers by the first word, 250 unless told otherwise. */
async function mailServer(answers: Readonly<Record<string, string>> = {}) {
  const told: string[] = [];
  const converse = (socket: Socket) => {
    let isData = false;
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
      for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
        const line = text.slice(0, end);
        text = text.slice(end + 2);
        told.push(line);
        const [word = ''] = line.split(' ');
        if (isData && line !== '.') continue;
        isData = word === 'DATA';
        socket.write(`${answers[word] ?? (isData ? '354 go' : '250 fine')}\r\n`);
        if (word === 'STARTTLS' && answers.STARTTLS?.startsWith('220')) {
          socket.removeAllListeners('data');
          const { cert, key } = selfSigned();
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
  return { told, settings: { host: '127.0.0.1', port, implicitTls: false } };
}

test('a mail arrives whole, with lines that begin with a dot', async () => {
  const { told, settings } = await mailServer({ EHLO: '250-mail\r\n250 8BITMIME' });
  await sendMail({ ...settings, ...NOBODY }, MAIL);
  assert.ok(told.includes('MAIL FROM:<server@example.org>') && told.includes('RCPT TO:<a@example.org>'));
  assert.deepEqual(told.slice(told.indexOf('')), ['', 'one', '..two', 'three', '.']);
});

test('a refusal of the server is an error in its words', async () => {
  const { settings } = await mailServer({ RCPT: '550 no such person' });
  await assert.rejects(sendMail({ ...settings, ...NOBODY }, MAIL), /550 no such person/);
});

test('a password is not told on an open line, nor to a server without a certificate of its name', async () => {
  const open = await mailServer();
  await assert.rejects(sendMail({ ...open.settings, ...SOMEBODY }, MAIL), /no encryption/);
  const forged = await mailServer({ EHLO: '250-mail\r\n250 STARTTLS', STARTTLS: '220 go' });
  await assert.rejects(sendMail({ ...forged.settings, ...SOMEBODY }, MAIL), /certificate/i);
  for (const { told } of [open, forged]) assert.ok(!told.some((line) => line.startsWith('AUTH')));
});

test('addresses cannot smuggle in commands', async () => {
  const { told, settings } = await mailServer();
  for (const to of ['a@example.org>\r\nRCPT TO:<b@example.org', 'a@example.org\n.']) {
    await assert.rejects(sendMail({ ...settings, ...NOBODY }, { ...MAIL, to }), /more than one line/);
  }
  assert.deepEqual(told, []);
});

test('a server that is not there is an error', async () => {
  const { settings } = await mailServer();
  servers.pop()?.close();
  await assert.rejects(sendMail({ ...settings, ...NOBODY }, MAIL), /ECONNREFUSED/);
});
