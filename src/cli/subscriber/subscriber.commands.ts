import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import type { SubscriberSettingsText } from '../../events/subscribers/subscriber-settings';
import { command, commandGroup, type CommonOptions } from '../command';
import { OptionError, parseDuration, parseTime } from '../option-values';
import { printResult } from '../output';
import { withServices } from '../services';
import { webhookCommands } from './webhook.commands';

export const subscriberCommands = (): Command =>
  commandGroup(
    'subscriber',
    'Manage other systems of the business, which read events',
    [
      create(),
      list(),
      show(),
      rotateKey(),
      enabling('disable', 'Refuse a subscriber from its next request on', false),
      enabling('enable', 'Accept a disabled subscriber again', true),
      rewind(),
      erasure(),
      webhookCommands(),
    ],
    ['subscriber create --code crm --types consumer.erased', 'subscriber rewind crm --to 24h'],
  );

const create = (): Command =>
  command('create', 'Create a subscriber and print its key, only this once')
    .requiredOption('--code <code>', '3 to 64 of a-z, 0-9 and -')
    .option('--types <types>', 'only these, such as consumer.erased,session.started (default: all about consumers)')
    .option('--touchpoints <codes>', 'only what happens at these touchpoints, and acts of administration')
    .option('--read-consumers', 'let it read profiles')
    .option('--from-start', 'begin with the oldest event that is kept, and not with the next one')
    .action(async (options: CommonOptions & SubscriberSettingsText & { code: string; fromStart?: boolean }) => {
      const { parseSubscriberSettings } = await import('../../events/subscribers/subscriber-settings.js');
      const settings = parseSubscriberSettings(options);
      const start = { fromStart: options.fromStart ?? false };
      await administer(async ({ subscribers, origin, issuedSubscriberKeyView }) => {
        const issued = await subscribers.create(options.code, settings, start, origin);
        printResult(issuedSubscriberKeyView(issued), options);
      });
    });

/** On a terminal. */
const LISTED = ['code', 'enabled', 'behind', 'unseenErasures', 'acknowledgedAt'];

const list = (): Command =>
  command('list', 'List the subscribers').action((options: CommonOptions) =>
    administer(async ({ subscribers, subscriberView }) => {
      printResult((await subscribers.list()).map(subscriberView), options, LISTED);
    }),
  );

const show = (): Command =>
  command('show', 'Show a subscriber, and how far it has read')
    .argument('<code>')
    .action((code: string, options: CommonOptions) =>
      administer(async ({ subscribers, subscriberView }) => {
        printResult(subscriberView(await subscribers.get(code)), options);
      }),
    );

const rotateKey = (): Command =>
  command('rotate-key', 'Print a new key, only this once')
    .argument('<code>')
    .option('--overlap <duration>', 'how long the present key still works, such as 24h (default: 0)', (value) =>
      parseDuration('--overlap', value),
    )
    .action((code: string, options: CommonOptions & { overlap?: number }) =>
      administer(async ({ subscribers, origin, issuedSubscriberKeyView }) => {
        const issued = await subscribers.rotateKey(code, options.overlap ?? 0, origin);
        printResult(issuedSubscriberKeyView(issued), options);
      }),
    );

const enabling = (name: string, description: string, enabled: boolean): Command =>
  command(name, description)
    .argument('<code>')
    .action((code: string, options: CommonOptions) =>
      administer(async ({ subscribers, origin, subscriberView }) => {
        printResult(subscriberView(await subscribers.setEnabled(code, enabled, origin)), options);
      }),
    );

const rewind = (): Command =>
  command('rewind', 'Set where a subscriber continues')
    .argument('<code>')
    .requiredOption(
      '--to <place>',
      'after this position, or with the first event since this time, such as 24h',
      parseTo,
    )
    .action((code: string, options: CommonOptions & { to: bigint | Date }) =>
      administer(async ({ subscribers, origin, subscriberView }) => {
        printResult(subscriberView(await subscribers.rewind(code, options.to, origin)), options);
      }),
    );

const erasure = (): Command =>
  command('erasure', 'Show which subscribers have acknowledged the erasure of a consumer')
    .argument('<customer-id>')
    .action((customerId: string, options: CommonOptions) =>
      administer(async ({ subscribers }) => {
        printResult(await subscribers.proofOfErasure(customerId), options);
      }),
    );

function parseTo(value: string): bigint | Date {
  if (/^\d{1,18}$/.test(value)) return BigInt(value);
  try {
    return parseTime('--to', value);
  } catch {
    throw new OptionError('--to must be a position, a time such as 2026-01-31T12:00:00Z, or 24h');
  }
}

async function administer(task: (found: Awaited<ReturnType<typeof tools>>) => Promise<void>): Promise<void> {
  const { SubscriberAdministrationModule } =
    await import('../../events/subscribers/subscriber-administration.module.js');
  await withServices({ imports: [SubscriberAdministrationModule] }, async (services) => task(await tools(services)));
}

async function tools(services: INestApplicationContext) {
  const { commandOrigin } = await import('../../audit/origin.js');
  const { SubscribersService } = await import('../../events/subscribers/subscribers.service.js');
  const { issuedSubscriberKeyView, subscriberView } = await import('../../events/subscribers/subscriber-view.js');
  return {
    subscribers: services.get(SubscribersService),
    origin: commandOrigin(),
    issuedSubscriberKeyView,
    subscriberView,
  };
}
