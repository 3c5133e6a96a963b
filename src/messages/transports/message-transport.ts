import type { RenderedEmail, RenderedMessage, RenderedSms } from '../message';

/** Sends messages: resolves once the receiver is responsible for the message, else throws a DeliveryError. */
export interface MessageTransport<M extends RenderedMessage = RenderedMessage> {
  deliver(message: M): Promise<void>;
  close?(): void;
}

export interface MessageTransports {
  email: MessageTransport<RenderedEmail>;
  sms: MessageTransport<RenderedSms>;
}

/** Injection token of the transports in use. */
export const MESSAGE_TRANSPORTS = Symbol('MESSAGE_TRANSPORTS');
