import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { RenderedMessage } from '../messages/message';
import {
  MESSAGE_TRANSPORTS,
  type MessageTransport,
  type MessageTransports,
} from '../messages/transports/message-transport';
import { SANDBOX, type Sandbox } from '../platform/sandbox';
import { SandboxRepository } from './sandbox.repository';

/** Codes have six digits, or eight. */
const CODE = /(?<!\d)(?:\d{8}|\d{6})(?!\d)/;

/** Keeps what is written to test addresses, instead of sending it, for whoever tries the API. */
@Injectable()
export class KeptMessages implements OnModuleInit {
  constructor(
    private readonly sandbox: SandboxRepository,
    @Inject(SANDBOX) private readonly rules: Sandbox,
    private readonly modules: ModuleRef,
  ) {}

  /** Before the first message is taken from the queue. */
  onModuleInit(): void {
    const transports: MessageTransports = this.modules.get(MESSAGE_TRANSPORTS, { strict: false });
    transports.email = this.before(transports.email);
    transports.sms = this.before(transports.sms);
  }

  private before<M extends RenderedMessage>(transport: MessageTransport<M>): MessageTransport<M> {
    return {
      deliver: (message) => (this.rules.isTestAddress(message.to) ? this.keep(message) : transport.deliver(message)),
      close: () => transport.close?.(),
    };
  }

  private async keep({ id, touchpoint = '', channel, to, kind, locale, text }: RenderedMessage): Promise<void> {
    const code = kind.endsWith('-code') ? (CODE.exec(text)?.[0] ?? null) : null;
    await this.sandbox.keepMessage({ id, touchpoint, channel, to, kind, locale, text, code });
  }
}
