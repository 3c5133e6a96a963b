import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Clock } from '../../platform/clock';
import { randomSecret } from '../../platform/random';
import type { RenderedEmail, RenderedMessage, RenderedSms } from '../message';
import { mailOf, withoutDigits } from './mail';
import type { MessageTransport } from './message-transport';

const SENDER = { name: '', address: 'no-reply@localhost' };

/** For development: writes messages to files, named by their ids, which sort by time. */
export class MailboxTransport implements MessageTransport {
  constructor(
    private readonly directory: string,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  async deliver(message: RenderedMessage): Promise<void> {
    const isEmail = message.channel === 'email';
    const file = join(this.directory, `${message.id}.${isEmail ? 'eml' : 'json'}`);
    await this.write(file, isEmail ? await this.compose(message) : textOf(message));
    this.logger.info({ messageId: message.id, file }, 'A message is in the mailbox');
  }

  private async compose(message: RenderedEmail): Promise<Buffer> {
    const { kind, locale, consumerId } = message;
    const about = {
      'X-Message-Kind': kind,
      ...(locale !== null && { 'X-Message-Locale': locale }),
      ...(consumerId !== undefined && { 'X-Consumer-Id': withoutDigits(consumerId) }),
    };
    const mail = mailOf(message, SENDER, this.clock.now(), about);
    const { createTransport } = await import('nodemailer');
    const composer = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
    const sent = await composer.sendMail(mail);
    return sent.message as Buffer;
  }

  /** Readers see the whole file or none. */
  private async write(file: string, content: Buffer | string): Promise<void> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    const draft = `${file}.${randomSecret(6).toString('hex')}`;
    await writeFile(draft, content, { mode: 0o600 });
    await rename(draft, file);
  }
}

/** The body of a gateway request, and whom it concerns. */
const textOf = ({ id, to, text, kind, locale, consumerId }: RenderedSms): string =>
  JSON.stringify({ id, to, text, kind, locale, consumerId });
