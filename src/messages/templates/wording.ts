import type { MessageKind, MessageOf } from '../message';

/** What a message says, before it is laid out. */
export interface Wording {
  subject: string;
  /** The paragraphs of an e-mail; a code has its own line. */
  body: (string | { code: string })[];
  /** The whole of a text message. */
  sms: string;
}

/** Everything that the service says in one language; `contact` is whom a consumer can ask, if that is set. */
export type Wordings = { [K in MessageKind]: (message: MessageOf<K>, contact: string | null) => Wording };
