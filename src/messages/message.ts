/** Where a message goes. */
export const CHANNELS = ['email', 'sms'] as const;
export type Channel = (typeof CHANNELS)[number];

/** Something that the service tells a consumer. */
export type Message = {
  channel: Channel;
  /** A canonical e-mail address or phone number. */
  to: string;
  /** BCP 47; null or a language we do not speak: English. */
  locale: string | null;
  /** Whom it concerns, if that is a consumer already. */
  consumerId?: string | undefined;
  /** The code of the touchpoint that caused it: touchpoints take turns. */
  touchpoint?: string | undefined;
  /** It goes to nobody, and is otherwise treated like any other, so that the sender cannot tell. */
  isDecoy?: boolean | undefined;
} & (
  | { kind: 'verification-code'; code: string; expiresInMinutes: number }
  /** With it a new password can be chosen at the touchpoint of this name. */
  | { kind: 'recovery-code'; code: string; expiresInMinutes: number; touchpointName: string }
  /** Somebody tried to register this address, which has an account already. */
  | { kind: 'account-exists' }
  /** To the former address, whose channel is the message's; null when there is no new one. */
  | { kind: 'identifier-changed'; newDestinationMasked: string | null }
  /** The consumer can log in through an identity provider from now on. */
  | { kind: 'identity-linked'; issuerName: string }
  | { kind: 'password-changed' }
  /** A new password was chosen with a recovery code. */
  | { kind: 'password-recovered' }
  /** An administrator advises the consumer to choose a new password, which begins where the consumer signs in. */
  | { kind: 'recovery-advised' }
);

export type MessageKind = Message['kind'];
export type MessageOf<K extends MessageKind> = Extract<Message, { kind: K }>;

/** The messages of a consumer: those that concern the consumer, and those to the consumer's addresses. */
export interface Addressee {
  consumerId: string;
  /** Canonical. */
  addresses: string[];
}

interface Rendered {
  id: string;
  touchpoint?: string | undefined;
  to: string;
  kind: MessageKind;
  locale: string | null;
  consumerId?: string | undefined;
  /** The language of the text, as an ISO 639-1 code. */
  language: string;
  text: string;
}

export type RenderedEmail = Rendered & { channel: 'email'; subject: string; html: string };
export type RenderedSms = Rendered & { channel: 'sms' };
export type RenderedMessage = RenderedEmail | RenderedSms;

/** A valid recipient: one address, without characters that have a meaning in a header. */
const ADDRESS: Record<Channel, RegExp> = {
  email: /^[^\s\p{C}"(),:;<>@[\\\]]{1,64}@[A-Za-z0-9.-]{1,255}$/u,
  sms: /^\+[0-9]{1,15}$/,
};

export const isAddress = (channel: Channel, to: string): boolean => ADDRESS[channel].test(to);
