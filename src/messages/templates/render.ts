import type { Message, MessageKind, MessageOf, RenderedMessage } from '../message';
import { de } from './de';
import { en } from './en';
import { es } from './es';
import { fr } from './fr';
import type { Wording, Wordings } from './wording';

/** Every language that the service speaks, by its ISO 639-1 code. */
export const LANGUAGES = { en, fr, de, es } satisfies Record<string, Wordings>;

type Language = keyof typeof LANGUAGES;

const isSpoken = (language: string): language is Language => Object.hasOwn(LANGUAGES, language);

/** The language of a locale when the service speaks it, else English. */
export function languageOf(locale: string | null): Language {
  const language = (locale ?? '').split('-', 1)[0]?.toLowerCase() ?? '';
  return isSpoken(language) ? language : 'en';
}

/** Writes and lays out a message; `supportContact` is whom a consumer can ask who did not make the change. */
export function render(id: string, message: Message, supportContact: string | null = null): RenderedMessage {
  const { to, kind, locale, consumerId, touchpoint, channel } = message;
  const language = languageOf(locale);
  const wording = word(LANGUAGES[language], message, supportContact);
  const rendered = { id, touchpoint, to, kind, locale, consumerId, language };
  if (channel === 'sms') return { ...rendered, channel, text: wording.sms };
  return { ...rendered, channel, subject: wording.subject, text: plain(wording), html: html(language, wording) };
}

/** The key and the value have the same kind, which the compiler does not see. */
const word = <K extends MessageKind>(wordings: Wordings, message: MessageOf<K>, contact: string | null): Wording =>
  wordings[message.kind](message, contact);

const plain = ({ body }: Wording): string =>
  `${body.map((part) => (typeof part === 'string' ? part : part.code)).join('\n\n')}\n`;

const PAGE =
  'margin: 0 auto; padding: 24px; max-width: 560px; font: 16px/1.5 Arial, Helvetica, sans-serif; color: #222';
const CODE = 'font: bold 32px/1.2 Consolas, Menlo, monospace; letter-spacing: 4px';

/** No images and no links: there is nothing to load, and nothing that a forged message could imitate. */
function html(language: Language, { subject, body }: Wording): string {
  const paragraphs = body.map((part) =>
    typeof part === 'string' ? `<p>${escape(part)}</p>` : `<p style="${CODE}">\n${escape(part.code)}\n</p>`,
  );
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escape(subject)}</title>
</head>
<body>
<div style="${PAGE}">
${paragraphs.join('\n')}
</div>
</body>
</html>
`;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
