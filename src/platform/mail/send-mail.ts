// Sends one plain text mail through an SMTP server.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type MailServer, SmtpConnection } from './smtp-connection.ts';

export interface MailSettings extends MailServer {
  readonly user: string | null;
  readonly password: string | null;
}

export interface Mail {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

const OK = 250;
const READY = 220;
const GO_AHEAD = 354;
const SIGNED_IN = 235;

/** Resolves when the server has taken the mail. @throws with the server's words when it does not */
export async function sendMail(settings: MailSettings, mail: Mail): Promise<void> {
  if (/[\r\n<>]/.test(mail.from + mail.to) || /[\r\n]/.test(mail.subject)) {
    throw new Error('a mail has an address or a subject of more than one line');
  }
  const connection = SmtpConnection.open(settings);
  try {
    await connection.expect(READY);
    await greet(connection, settings);
    await connection.ask(`MAIL FROM:<${mail.from}>`, OK);
    await connection.ask(`RCPT TO:<${mail.to}>`, OK, 251);
    await connection.ask('DATA', GO_AHEAD);
    await connection.ask(`${messageOf(mail)}\r\n.`, OK);
  } finally {
    connection.close();
  }
}

/** A password is only told to a server on an encrypted connection. */
async function greet(connection: SmtpConnection, settings: MailSettings): Promise<void> {
  const hello = `EHLO ${hostname().replaceAll(/[^\w.-]/g, '-')}`;
  let { lines } = await connection.ask(hello, OK);
  let isEncrypted = settings.implicitTls;
  if (!isEncrypted && lines.some((line) => /^STARTTLS\b/i.test(line))) {
    await connection.ask('STARTTLS', READY);
    await connection.raise();
    isEncrypted = true;
    ({ lines } = await connection.ask(hello, OK));
  }
  const { user, password } = settings;
  if (user === null || password === null) return;
  if (!isEncrypted) throw new Error('the mail server offers no encryption for the password');
  const plain = Buffer.from(`\0${user}\0${password}`).toString('base64');
  await connection.ask(`AUTH PLAIN ${plain}`, SIGNED_IN);
}

function messageOf({ from, to, subject, text }: Mail): string {
  const head = [
    `From: <${from}>`,
    `To: <${to}>`,
    `Subject: ${subject}`,
    `Date: ${new Date().toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${randomUUID()}@${from.split('@').at(-1) ?? 'localhost'}>`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
    'Auto-Submitted: auto-generated',
  ];
  // A line that begins with a dot would end the mail.
  const lines = text.split(/\r?\n/).map((line) => (line.startsWith('.') ? `.${line}` : line));
  return [...head, '', ...lines].join('\r\n');
}
