import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PATIENCE_MS } from '../until';

/** A file of the development mailbox. */
interface Mail {
  channel: 'email' | 'sms';
  kind: string;
  to: string;
  locale: string | null;
  code: string | null;
  /** What people read. */
  text: string;
  /** The whole file. */
  content: string;
}

/** Whose settings say where the mailbox is. */
interface Service {
  env: Record<string, string>;
}

/** Everything that was sent, the oldest first. */
export async function allMail({ env }: Service): Promise<Mail[]> {
  const directory = join(env.DATA_DIR ?? '', 'mailbox');
  const names = await readdir(directory).catch((): string[] => []);
  const files = names.toSorted().filter((name) => /\.(eml|json)$/.test(name));
  return Promise.all(
    files.map(async (name) => {
      const content = await readFile(join(directory, name), 'utf8');
      return name.endsWith('.eml') ? readEmail(content) : readSms(content);
    }),
  );
}

/** Waits until the mailbox holds `count` messages of a kind for an address, and returns their codes. */
export async function delivered(
  service: Service,
  to: string,
  kind = 'verification-code',
  count = 1,
): Promise<(string | null)[]> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 25) {
    const found = (await allMail(service)).filter((mail) => mail.to === to && mail.kind === kind);
    if (found.length >= count) return found.map(({ code }) => code);
    await sleep(25);
  }
  throw new Error(`There are no ${count} messages ${kind} in the mailbox`);
}

/** The newest code of a kind that was sent to an address, which has been sent `count` of them. */
export async function codeSentTo(service: Service, to: string, count = 1, kind = 'verification-code'): Promise<string> {
  const code = (await delivered(service, to, kind, count)).at(-1);
  if (code === null || code === undefined) throw new Error('The message holds no code');
  return code;
}

/** As many digits that are not the code. */
export const wrongCode = (code: string): string =>
  String((Number(code) + 1) % 10 ** code.length).padStart(code.length, '0');

const CODE = '[0-9]{6}(?:[0-9]{2})?';

function readEmail(content: string): Mail {
  const end = content.indexOf('\n\n');
  // RFC 5322: a header field goes on in lines that begin with white space.
  const headers = content.slice(0, end).replace(/\n[ \t]+/g, ' ');
  const header = (field: string) => new RegExp(`^${field}: (.*)$`, 'm').exec(headers)?.[1];
  return {
    channel: 'email',
    kind: header('X-Message-Kind') ?? '',
    to: header('To') ?? '',
    locale: header('X-Message-Locale') ?? null,
    code: new RegExp(`^${CODE}$`, 'm').exec(content.slice(end))?.[0] ?? null,
    text: textIn(content.slice(end)),
    content,
  };
}

/** Without the boundaries between the parts, and in whole lines (RFC 2045, 6.7). */
const textIn = (body: string): string => body.replace(/^--.*$|^[\w-]+: .*$/gm, '').replaceAll('=\n', '');

function readSms(content: string): Mail {
  const { kind, to, locale, text } = JSON.parse(content) as Pick<Mail, 'kind' | 'to' | 'locale'> & { text: string };
  return { channel: 'sms', kind, to, locale, code: new RegExp(CODE).exec(text)?.[0] ?? null, text, content };
}
