import type { SendMailOptions } from 'nodemailer';
import type { MailSender } from '../../platform/settings/setting-values';
import type { RenderedEmail } from '../message';

/** The e-mail as nodemailer takes it: addresses as objects, which it does not parse, and one recipient. */
export function mailOf(
  message: RenderedEmail,
  from: MailSender,
  date: Date,
  headers: Record<string, string> = {},
): SendMailOptions {
  const to = { name: '', address: message.to };
  const token = withoutDigits(message.id);
  return {
    from,
    to,
    envelope: { from: from.address, to: [to] },
    // Made from the id alone, so that a message that is sent twice can be recognised.
    messageId: `<${token}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
    baseBoundary: token,
    date,
    subject: message.subject,
    text: message.text,
    html: message.html,
    textEncoding: 'quoted-printable',
    // RFC 3834: asks auto-responders not to answer.
    headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': message.language, ...headers },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** The id in letters only, so that no digits can be mistaken for the code. */
export const withoutDigits = (id: string): string =>
  id.replace(/[0-9]/g, (digit) => 'ghijklmnop'.charAt(Number(digit)));
