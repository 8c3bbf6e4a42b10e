// The mail that carries an invite's link.
import { type MailSettings, sendMail } from '../../platform/mail/send-mail.ts';

export interface InviteMailSettings {
  readonly smtpUrl: MailSettings | null;
  readonly smtpFrom: string | null;
}

/** Null when no mail server is configured. */
export function inviteMail({
  smtpUrl,
  smtpFrom,
}: InviteMailSettings): ((to: string, link: string) => Promise<void>) | null {
  if (smtpUrl === null || smtpFrom === null) return null;
  return (to, link) =>
    sendMail(smtpUrl, { from: smtpFrom, to, subject: 'You are invited', text: textOf(link) });
}

function textOf(link: string): string {
  return `You are invited to an organization on a Pinyon server.

Follow this link within a week to accept:

${link}

If you did not expect this, do nothing.
`;
}
