import type { INestApplicationContext } from '@nestjs/common';
import { type Command, Option } from 'commander';
import { choosing, command, commandGroup, type CommonOptions } from '../command';
import { parseDuration } from '../option-values';
import { printResult, printWarning } from '../output';
import { canAsk } from '../questions';
import { withServices } from '../services';
import { askForTouchpoint, firstUse } from './touchpoint.questions';
import { touchpointProviderCommands } from './touchpoint-provider.commands';
import {
  AUTHENTICATION_MODES,
  CHANNEL_PROOFS,
  OTP_WARNING,
  RATE_LIMIT_HELP,
  SESSION_IDLE_HELP,
  SESSION_MAX_HELP,
  type SettingsText,
  SMS_COUNTRIES_HELP,
} from '../../touchpoints/administration/settings-help';

export const touchpointCommands = (): Command =>
  commandGroup(
    'touchpoint',
    'Administer touchpoints',
    [
      create(),
      list(),
      show(),
      update(),
      rotateKey(),
      enabling('disable', 'Refuse a touchpoint from its next request on', false),
      enabling('enable', 'Accept a disabled touchpoint again', true),
      touchpointProviderCommands(),
    ],
    [
      'touchpoint create --code shop --name Shop --channel-proof EMAIL',
      'touchpoint update shop --rate-limit 100/60',
      'touchpoint rotate-key shop --overlap 24h',
    ],
  );

/** The options that `create` and `update` share. */
const withSettings = (settled: Command): Command =>
  settled
    .option('--name <name>', 'what people call it')
    .addOption(choosing('--auth-mode <mode>', 'how consumers log in', AUTHENTICATION_MODES))
    .addOption(choosing('--channel-proof <channel>', 'what they prove to register', CHANNEL_PROOFS))
    .option('--rate-limit <limit>', RATE_LIMIT_HELP)
    .option('--sms-countries <countries>', SMS_COUNTRIES_HELP)
    .option('--session-max <duration>', SESSION_MAX_HELP)
    .option('--session-idle <duration>', SESSION_IDLE_HELP);

const create = (): Command =>
  withSettings(
    command('create', 'Create a touchpoint and print its key, only this once').addOption(
      new Option('--code <code>', '3 to 64 of a-z, 0-9 and -').makeOptionMandatory(!canAsk()),
    ),
  ).action(async (options: CommonOptions & SettingsText & { code?: string }) => {
    const { DEFAULT_SETTINGS, parseSettings } = await import('../../touchpoints/administration/settings-text.js');
    // Before anything is asked.
    parseSettings(options);
    const { code, ...given } = hasCode(options) ? options : await askForTouchpoint(options);
    const settings = { ...DEFAULT_SETTINGS, name: code, ...parseSettings(given) };
    await administer(async ({ touchpoints, origin, issuedKeyView, serviceUrl }) => {
      const issued = await touchpoints.create(code, settings, origin);
      if (given.authMode === 'OTP') printWarning(OTP_WARNING);
      printResult(issuedKeyView(issued), options);
      if (!hasCode(options)) process.stdout.write(firstUse({ code, key: issued.key, serviceUrl }));
    });
  });

const hasCode = <T extends { code?: string }>(options: T): options is T & { code: string } =>
  options.code !== undefined;

/** On a terminal; the last may hold any characters, whose width is not known. */
const LISTED = ['code', 'authenticationMode', 'channelProof', 'enabled', 'name'];

const list = (): Command =>
  command('list', 'List the touchpoints').action((options: CommonOptions) =>
    administer(async ({ touchpoints, touchpointView }) => {
      printResult((await touchpoints.list()).map(touchpointView), options, LISTED);
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
  withSettings(command('update', 'Change the given settings of a touchpoint').argument('<code>')).action(
    async (code: string, options: CommonOptions & SettingsText) => {
      const { parseSettings } = await import('../../touchpoints/administration/settings-text.js');
      const settings = parseSettings(options);
      await administer(async ({ touchpoints, origin, touchpointView }) => {
        const touchpoint = await touchpoints.update(code, settings, origin);
        if (options.authMode === 'OTP') printWarning(OTP_WARNING);
        printResult(touchpointView(touchpoint), options);
      });
    },
  );

const rotateKey = (): Command =>
  command('rotate-key', 'Print a new key, only this once')
    .argument('<code>')
    .option('--overlap <duration>', 'how long the present key still works, such as 24h (default: 0)', (value) =>
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
  const { TouchpointAdministrationModule } =
    await import('../../touchpoints/administration/touchpoint-administration.module.js');
  await withServices({ imports: [TouchpointAdministrationModule] }, async (services) => task(await tools(services)));
}

async function tools(services: INestApplicationContext) {
  const { commandOrigin } = await import('../../audit/origin.js');
  const { AppConfig } = await import('../../platform/settings/config.js');
  const { baseUrl } = await import('../../platform/values/base-url.js');
  const { TouchpointsService } = await import('../../touchpoints/administration/touchpoints.service.js');
  const { issuedKeyView, touchpointView } = await import('../../touchpoints/administration/touchpoint-view.js');
  const { host, port } = services.get(AppConfig);
  return {
    ...{ touchpoints: services.get(TouchpointsService), origin: commandOrigin(), issuedKeyView, touchpointView },
    serviceUrl: baseUrl({ address: host, port }),
  };
}
