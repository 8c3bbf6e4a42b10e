// The mail that brings an invite's link.
import type { Settings } from '../../settings.ts';
import { sendMail } from './send-mail.ts';

/** Null when no mail server is set. */
export function inviteMail({
  smtpUrl,
  smtpFrom,
}: Pick<Settings, 'smtpUrl' | 'smtpFrom'>): ((to: string, link: string) => Promise<void>) | null {
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
