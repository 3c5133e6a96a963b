import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import { command, commandGroup, type CommonOptions } from '../command';
import { parseDuration } from '../option-values';
import { printMessage, printResult } from '../output';
import { withServices } from '../services';

export const webhookCommands = (): Command =>
  commandGroup(
    'webhook',
    'Push events to a subscriber',
    [set(), rotateSecret(), remove(), test()],
    ['subscriber webhook set crm --url https://crm.example.com/events', 'subscriber webhook test crm'],
  );

const set = (): Command =>
  command('set', 'Set where events are pushed to, and print the new secret, only this once')
    .argument('<code>')
    .requiredOption('--url <url>', 'https://, or http:// on loopback')
    .action((code: string, options: CommonOptions & { url: string }) =>
      administer(async ({ webhooks, origin, subscriberView }) => {
        const { secret, ...state } = await webhooks.set(code, options.url, origin);
        printResult({ secret, ...subscriberView(state) }, options);
      }),
    );

const rotateSecret = (): Command =>
  command('rotate-secret', 'Print a new secret, only this once')
    .argument('<code>')
    .option('--overlap <duration>', 'how long the present secret also signs (default: 24h)', (value) =>
      parseDuration('--overlap', value),
    )
    .action((code: string, options: CommonOptions & { overlap?: number }) =>
      administer(async ({ webhooks, origin, subscriberView, OVERLAP_SECONDS }) => {
        const { secret, ...state } = await webhooks.rotateSecret(code, options.overlap ?? OVERLAP_SECONDS, origin);
        printResult({ secret, ...subscriberView(state) }, options);
      }),
    );

const remove = (): Command =>
  command('remove', 'Stop pushing events: the subscriber reads them itself')
    .argument('<code>')
    .action((code: string, options: CommonOptions) =>
      administer(async ({ webhooks, origin, subscriberView }) => {
        printResult(subscriberView(await webhooks.remove(code, origin)), options);
      }),
    );

const test = (): Command =>
  command('test', 'Send an event that never happened, now')
    .argument('<code>')
    .action((code: string, options: CommonOptions) =>
      administer(async ({ webhooks }) => {
        const refusal = await webhooks.test(code);
        if (refusal !== null) throw new Error(`The event was not taken: ${refusal}`);
        if (options.json === true) printResult({ taken: true }, options);
        else printMessage('The event was taken');
      }),
    );

async function administer(task: (found: Awaited<ReturnType<typeof tools>>) => Promise<void>): Promise<void> {
  const { EventsModule } = await import('../../events/events.module.js');
  await withServices({ imports: [EventsModule] }, async (services) => task(await tools(services)));
}

async function tools(services: INestApplicationContext) {
  const { commandOrigin } = await import('../../audit/origin.js');
  const { OVERLAP_SECONDS, WebhookAdministration } = await import('../../events/webhooks/webhook-administration.js');
  const { subscriberView } = await import('../../events/subscribers/subscriber-view.js');
  return { webhooks: services.get(WebhookAdministration), origin: commandOrigin(), subscriberView, OVERLAP_SECONDS };
}
