import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import { command, commandGroup, type CommonOptions } from '../command';
import { parseDuration } from '../option-values';
import { printMessage, printResult } from '../output';
import { withServices } from '../services';
import { touchpointProviderCommands } from './touchpoint-provider.commands';
import {
  OTP_WARNING,
  RATE_LIMIT_HELP,
  SESSION_IDLE_HELP,
  SESSION_MAX_HELP,
  type SettingsText,
  SMS_COUNTRIES_HELP,
} from '../../touchpoints/administration/settings-help';

export const touchpointCommands = (): Command =>
  commandGroup('touchpoint', 'Administer touchpoints', [
    create(),
    list(),
    show(),
    update(),
    rotateKey(),
    enabling('disable', 'Refuse a touchpoint from its next request on', false),
    enabling('enable', 'Accept a disabled touchpoint again', true),
    touchpointProviderCommands(),
  ]);

/** The options that `create` and `update` share. */
const withSettings = (settled: Command): Command =>
  settled
    .option('--name <name>', 'what people call it')
    .option('--auth-mode <mode>', 'PASSWORD or OTP')
    .option('--channel-proof <channel>', 'NONE, EMAIL or SMS')
    .option('--rate-limit <limit>', RATE_LIMIT_HELP)
    .option('--sms-countries <countries>', SMS_COUNTRIES_HELP)
    .option('--session-max <duration>', SESSION_MAX_HELP)
    .option('--session-idle <duration>', SESSION_IDLE_HELP);

const create = (): Command =>
  withSettings(
    command('create', 'Create a touchpoint and print its key, this once').requiredOption(
      '--code <code>',
      '3 to 64 of a-z, 0-9 and -',
    ),
  ).action(async (options: CommonOptions & SettingsText & { code: string }) => {
    const { DEFAULT_SETTINGS, parseSettings } = await import('../../touchpoints/administration/settings-text.js');
    const settings = { ...DEFAULT_SETTINGS, name: options.code, ...parseSettings(options) };
    await administer(async ({ touchpoints, origin, issuedKeyView }) => {
      const issued = await touchpoints.create(options.code, settings, origin);
      if (options.authMode === 'OTP') printMessage(OTP_WARNING);
      printResult(issuedKeyView(issued), options);
    });
  });

const list = (): Command =>
  command('list', 'List the touchpoints').action((options: CommonOptions) =>
    administer(async ({ touchpoints, touchpointView }) => {
      printResult((await touchpoints.list()).map(touchpointView), options);
    }),
  );

const show = (): Command =>
  command('show', 'Show a touchpoint')
    .argument('<code>')
    .action((code: string, options: CommonOptions) =>
      administer(async ({ touchpoints, touchpointView }) => {
        printResult(touchpointView(await touchpoints.get(code)), options);
      }),
    );

const update = (): Command =>
  withSettings(command('update', 'Change what is given of a touchpoint').argument('<code>')).action(
    async (code: string, options: CommonOptions & SettingsText) => {
      const { parseSettings } = await import('../../touchpoints/administration/settings-text.js');
      const settings = parseSettings(options);
      await administer(async ({ touchpoints, origin, touchpointView }) => {
        const touchpoint = await touchpoints.update(code, settings, origin);
        if (options.authMode === 'OTP') printMessage(OTP_WARNING);
        printResult(touchpointView(touchpoint), options);
      });
    },
  );

const rotateKey = (): Command =>
  command('rotate-key', 'Print a new key, this once')
    .argument('<code>')
    .option('--overlap <duration>', 'how long the present key works on, such as 24h (default: 0)', (value) =>
      parseDuration('--overlap', value),
    )
    .action((code: string, options: CommonOptions & { overlap?: number }) =>
      administer(async ({ touchpoints, origin, issuedKeyView }) => {
        printResult(issuedKeyView(await touchpoints.rotateKey(code, options.overlap ?? 0, origin)), options);
      }),
    );

const enabling = (name: string, description: string, enabled: boolean): Command =>
  command(name, description)
    .argument('<code>')
    .action((code: string, options: CommonOptions) =>
      administer(async ({ touchpoints, origin, touchpointView }) => {
        printResult(touchpointView(await touchpoints.update(code, { enabled }, origin)), options);
      }),
    );

async function administer(task: (found: Awaited<ReturnType<typeof tools>>) => Promise<void>): Promise<void> {
  const { TouchpointsModule } = await import('../../touchpoints/touchpoints.module.js');
  await withServices({ imports: [TouchpointsModule] }, async (services) => task(await tools(services)));
}

async function tools(services: INestApplicationContext) {
  const { commandOrigin } = await import('../../audit/origin.js');
  const { TouchpointsService } = await import('../../touchpoints/administration/touchpoints.service.js');
  const { issuedKeyView, touchpointView } = await import('../../touchpoints/administration/touchpoint-view.js');
  return { touchpoints: services.get(TouchpointsService), origin: commandOrigin(), issuedKeyView, touchpointView };
}
