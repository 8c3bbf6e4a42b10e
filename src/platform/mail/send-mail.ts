// Sends one plain text mail through an SMTP server.

/** How long the server may take to connect, to greet and to answer each command. */
const TIMEOUT_MS = 30_000;
/** A reply takes a few lines; a peer that sends more than this is not a mail server. */
const REPLY_BYTES_MAX = 64 * 1024;

export interface MailSettings {
  readonly host: string;
  readonly port: number;
  /** Whether the connection speaks TLS from its first byte; otherwise STARTTLS upgrades it where the server offers that. */
  readonly implicitTls: boolean;
  readonly user: string | null;
  readonly password: string | null;
}

export interface Mail {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Resolves when the server has accepted the mail. @throws with the server's reply when it refuses */
export async function sendMail(settings: MailSettings, mail: Mail): Promise<void> {
  if (/[\r\n<>]/.test(mail.from + mail.to) || /[\r\n]/.test(mail.subject)) {
    throw new Error(
      'mail addresses and subjects must not contain line breaks, and addresses no angle brackets',
    );
  }
  // Only servers with a mail server set pay for loading the library.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    host: settings.host,
    port: settings.port,
    ...securityOf(settings),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    maxResponseSize: REPLY_BYTES_MAX,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  await transport.sendMail({
    // As objects, so that no address is read as a list of several.
    from: { name: '', address: mail.from },
    to: { name: '', address: mail.to },
    subject: mail.subject,
    text: mail.text,
    xMailer: false,
    headers: { 'Auto-Submitted': 'auto-generated' },
  });
}

/** Requires TLS wherever there is a password, so that none crosses the network in the clear. */
function securityOf({ implicitTls, user, password }: MailSettings) {
  if (user === null || password === null) return { secure: implicitTls };
  return {
    secure: implicitTls,
    requireTLS: !implicitTls,
    auth: { user, pass: password },
    // Without it the library would send unauthenticated through a server that announces no AUTH.
    forceAuth: true,
  };
}
