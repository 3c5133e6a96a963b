import type { Command } from 'commander';
import { parseRole, Role } from '../operators/role';
import { choosing, choosingArgument, command, commandGroup, type CommonOptions } from './command';
import { OptionError } from './option-values';
import { printResult } from './output';
import { withServices } from './services';

const ROLES = Object.values(Role);

export const operatorCommands = (): Command =>
  commandGroup(
    'operator',
    'Manage who may use the console',
    [
      invite(),
      list(),
      setRole(),
      enabling('disable', 'End an operator’s sessions and refuse further sign-ins', 'disable'),
      enabling('enable', 'Let a disabled operator be invited again', 'enable'),
    ],
    ['operator invite ada@example.com --role SUPPORT', 'operator role ada@example.com ADMIN'],
  );

const invite = (): Command =>
  command('invite', 'Print a link that signs an operator in, once, within ten minutes')
    .argument('<email>')
    .addOption(choosing('--role <role>', 'what the operator may do', ROLES).makeOptionMandatory())
    .action((email: string, options: CommonOptions & { role: string }) =>
      administer(options, async ({ operators, origin, roleOf, link }) => {
        const { operator, token, expiresAt } = await operators.invite(email, roleOf(options.role), origin);
        return { email: operator.email, role: operator.role, link: link(token), expiresAt: expiresAt.toISOString() };
      }),
    );

const list = (): Command =>
  command('list', 'List the operators').action((options: CommonOptions) =>
    administer(options, async ({ operators, view }) =>
      (await operators.list()).map((operator) => ({
        ...view(operator),
        signedInAt: operator.signedInAt?.toISOString() ?? null,
      })),
    ),
  );

const setRole = (): Command =>
  command('role', 'Give an operator another role, from the next request on')
    .argument('<email>')
    .addArgument(choosingArgument('<role>', 'what the operator may do', ROLES))
    .action((email: string, role: string, options: CommonOptions) =>
      administer(options, async ({ operators, origin, roleOf, view }) =>
        view(await operators.setRole(email, roleOf(role), origin)),
      ),
    );

const enabling = (name: string, description: string, method: 'disable' | 'enable'): Command =>
  command(name, description)
    .argument('<email>')
    .action((email: string, options: CommonOptions) =>
      administer(options, async ({ operators, origin, view }) => view(await operators[method](email, origin))),
    );

async function administer(
  options: CommonOptions,
  task: (found: Awaited<ReturnType<typeof tools>>) => Promise<object>,
): Promise<void> {
  const { OperatorsModule } = await import('../operators/operators.module.js');
  await withServices({ imports: [OperatorsModule] }, async (services) => {
    printResult(await task(await tools(services)), options);
  });
}

async function tools(services: import('@nestjs/common').INestApplicationContext) {
  const { commandOrigin } = await import('../audit/origin.js');
  const { OperatorsService } = await import('../operators/operators.service.js');
  const { AppConfig } = await import('../platform/settings/config.js');
  const { signInLink } = await import('../operators/sign-in-link.js');
  const config = services.get(AppConfig);
  return {
    operators: services.get(OperatorsService),
    origin: commandOrigin(),
    link: (token: string) => signInLink(config, token),
    roleOf: (text: string) => {
      const role = parseRole(text);
      if (role === undefined) throw new OptionError('The role must be AUDITOR, SUPPORT, OPERATOR or ADMIN');
      return role;
    },
    view: ({ email, role, createdAt, disabledAt }: import('../operators/operator.entity').Operator) => ({
      ...{ email, role, createdAt: createdAt.toISOString(), disabledAt: disabledAt?.toISOString() ?? null },
    }),
  };
}
