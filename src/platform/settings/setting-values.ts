import { z } from 'zod';

/** Digits only: neither `1e3` nor `0x10`. */
export const wholeNumber = (min: number, max: number) =>
  z.string().transform((value, context) => {
    const number = /^\d+$/.test(value) ? Number(value) : NaN;
    if (number >= min && number <= max) return number;
    context.addIssue({ code: 'custom', message: `must be a whole number from ${min} to ${max}` });
    return z.NEVER;
  });

/** Who e-mail comes from. */
export interface MailSender {
  name: string;
  address: string;
}

const SENDER_ADDRESS = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]{1,255}$/;
const WEBHOOK_SECRET_BYTES = 24;

/** `ada@example.com`, or with a name, which may be quoted: `Ada <ada@example.com>`. */
export function parseMailSender(value: string, context: z.RefinementCtx): MailSender {
  const [, quoted, name = '', inBrackets] = /^\s*(?:"([^"]*)"|([^"<>]*?))\s*<([^<>]*)>\s*$/.exec(value) ?? [];
  const address = inBrackets ?? value.trim();
  const sender = { name: quoted ?? name, address };
  if (SENDER_ADDRESS.test(address) && !/\p{C}/u.test(sender.name)) return sender;
  context.addIssue({ code: 'custom', message: 'must be an address, or Name <address>' });
  return z.NEVER;
}

/** Standard Webhooks: the secret's bytes in base64, after `whsec_`. */
export function parseWebhookSecret(value: string, context: z.RefinementCtx): Buffer {
  const secret = Buffer.from(value.replace(/^whsec_/, ''), 'base64');
  if (/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(value) && secret.length >= WEBHOOK_SECRET_BYTES) return secret;
  context.addIssue({ code: 'custom', message: `must be whsec_ and at least ${WEBHOOK_SECRET_BYTES} bytes in base64` });
  return z.NEVER;
}

const MAX_CONTACT_LENGTH = 60;

/** Stands in a notice, where six digits would look like a code. */
export function parseSupportContact(value: string, context: z.RefinementCtx): string {
  const contact = value.trim();
  if (contact !== '' && contact.length <= MAX_CONTACT_LENGTH && !/\p{C}|[0-9]{6}/u.test(contact)) return contact;
  const message = `must be one line of at most ${MAX_CONTACT_LENGTH} characters, without six digits in a row`;
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}

/** `group=ROLE,…`; a group may have `=` in its name. */
export function parseGroupRoles(value: string, context: z.RefinementCtx): [string, string][] {
  const pairs = value.split(',').map((pair): [string, string] => {
    const [, group = '', role = ''] = /^(.+)=([^=]*)$/.exec(pair.trim()) ?? [];
    return [group.trim(), role.trim()];
  });
  if (pairs.every(([group, role]) => group !== '' && /^(AUDITOR|SUPPORT|OPERATOR|ADMIN)$/.test(role))) return pairs;
  context.addIssue({
    code: 'custom',
    message: 'must be group=ROLE,… where a role is AUDITOR, SUPPORT, OPERATOR or ADMIN',
  });
  return z.NEVER;
}
