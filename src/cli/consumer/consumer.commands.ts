import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import type { ProfileDto } from '../../consumers/profile/profile.dto';
import type { EndedLinks } from '../../consumers/administration/consumer-access.service';
import { command, commandGroup, type CommonOptions } from '../command';
import { consumerTransferCommands } from './consumer-transfer.commands';
import { parseReason } from '../option-values';
import { printResult, printWarning } from '../output';
import { asking, canAsk } from '../questions';
import { withServices } from '../services';

export const consumerCommands = (): Command =>
  commandGroup(
    'consumer',
    'Show, export, disable and erase consumers',
    [
      show(),
      exportOne(),
      sessions(),
      unlink(),
      disable(),
      enable(),
      sendRecovery(),
      erase(),
      ...consumerTransferCommands(),
    ],
    [
      'consumer show ada@example.com',
      "consumer disable ada@example.com --reason 'account taken over'",
      'consumer import consumers.ndjson --dry-run',
    ],
  );

const ofConsumer = (name: string, description: string): Command =>
  command(name, description).argument('<id-or-identifier>');

const show = (): Command =>
  ofConsumer('show', 'Show the profile, the sessions and the audit trail of a consumer').action(
    (consumer: string, options: CommonOptions) => administer(options, ({ records }) => records.show(consumer)),
  );

const exportOne = (): Command =>
  ofConsumer('export', 'Print everything that is kept of a consumer, except secrets').action(
    (consumer: string, options: CommonOptions) =>
      administer(options, ({ records, origin }) => records.export(consumer, origin)),
  );

const sessions = (): Command =>
  ofConsumer('sessions', 'List the sessions of a consumer, live and ended')
    .addCommand(revoke())
    .action((consumer: string, options: CommonOptions) =>
      administer(options, ({ records }) => records.sessionsOf(consumer)),
    );

const revoke = (): Command =>
  ofConsumer('revoke', 'End all sessions of a consumer, from their next request on')
    .option('--external-identities', 'undo all links to identity providers too')
    .action((consumer: string, { externalIdentities }: { externalIdentities?: boolean }, parsed: Command) =>
      // The parser gives `--json` to `sessions`, which has it too.
      administer(parsed.optsWithGlobals<CommonOptions>(), async ({ access, origin }) =>
        externalIdentities
          ? warnOfLockout(await access.unlink(consumer, origin))
          : access.revokeSessions(consumer, origin),
      ),
    );

const unlink = (): Command =>
  ofConsumer('unlink', 'Undo the links of a consumer to an identity provider, and end all sessions')
    .requiredOption('--issuer <url>', 'as `consumer show` prints it')
    .action((consumer: string, options: CommonOptions & { issuer: string }) =>
      administer(options, async ({ access, origin }) =>
        warnOfLockout(await access.unlink(consumer, origin, options.issuer)),
      ),
    );

const disable = (): Command =>
  ofConsumer('disable', 'Disable a consumer from the next request on: sessions end, identifiers stay taken')
    .requiredOption('--reason <text>', 'why, for the audit trail', parseReason)
    .action((consumer: string, options: CommonOptions & { reason: string }) =>
      administer(options, ({ access, origin }) => access.disable(consumer, options.reason, origin)),
    );

const enable = (): Command =>
  ofConsumer('enable', 'Let a disabled consumer log in again')
    .option('--reason <text>', 'why, for the audit trail', parseReason)
    .action((consumer: string, options: CommonOptions & { reason?: string }) =>
      administer(options, ({ access, origin }) => access.enable(consumer, options.reason, origin)),
    );

const sendRecovery = (): Command =>
  ofConsumer('send-recovery', 'Write to the proven addresses of a consumer how to choose a new password')
    .requiredOption('--reason <text>', 'why, for the audit trail', parseReason)
    .action((consumer: string, options: CommonOptions & { reason: string }) =>
      administer(options, ({ access, origin }) => access.adviseRecovery(consumer, options.reason, origin)),
    );

const erase = (): Command =>
  ofConsumer('erase', 'Erase a consumer for good, and print what was erased')
    .option('--yes', 'confirm that it cannot be undone')
    .action((consumer: string, options: CommonOptions & { yes?: boolean }) => {
      if (!options.yes && !canAsk()) throw new Error('Nothing was erased: erasing cannot be undone, and needs --yes');
      return administer(options, async ({ erasure, records, origin }) => {
        if (!options.yes) await confirmErasure((await records.show(consumer)).profile);
        return erasure.erase(consumer, origin);
      });
    });

async function confirmErasure({ customerId, firstName, lastName, email, phone }: ProfileDto): Promise<void> {
  const who = [`${firstName} ${lastName}`, email, phone].filter((part) => part !== null).join(', ');
  printWarning(`Erasing cannot be undone: ${who}, customer id ${customerId}`);
  const typed = await asking((ask) => ask({ text: 'Type the customer id to erase' }));
  if (typed !== customerId) throw new Error('Nothing was erased: this is not the customer id');
}

function warnOfLockout(ended: EndedLinks): EndedLinks {
  if (!ended.canLogIn)
    printWarning(`Consumer ${ended.customerId} has neither a password nor an external identity left to log in with`);
  return ended;
}

async function administer(
  options: CommonOptions,
  task: (found: Awaited<ReturnType<typeof tools>>) => Promise<object>,
): Promise<void> {
  const { ConsumersModule } = await import('../../consumers/consumers.module.js');
  await withServices({ imports: [ConsumersModule] }, async (services) => {
    printResult(await task(await tools(services)), options);
  });
}

async function tools(services: INestApplicationContext) {
  const { commandOrigin } = await import('../../audit/origin.js');
  const { ConsumerAccess } = await import('../../consumers/administration/consumer-access.service.js');
  const { ConsumerErasure } = await import('../../consumers/administration/consumer-erasure.service.js');
  const { ConsumerRecords } = await import('../../consumers/administration/consumer-records.service.js');
  return {
    access: services.get(ConsumerAccess),
    erasure: services.get(ConsumerErasure),
    records: services.get(ConsumerRecords),
    origin: commandOrigin(),
  };
}
