import type { INestApplicationContext } from '@nestjs/common';
import { SERVICE_ORIGIN } from '../audit/origin';
import { commandLine } from '../platform/settings/command-line';
import { AppConfig } from '../platform/settings/config';

/** On the very first start outside production: lets somebody into the console, and prints the link once. */
export async function inviteFirstOperator(app: INestApplicationContext): Promise<void> {
  const { ConsoleServer } = await import('../console/console-server.js');
  const { FIRST_OPERATOR, OperatorsService } = await import('../operators/operators.service.js');
  const { Role } = await import('../operators/role.js');
  const { signInLink } = await import('../operators/sign-in-link.js');
  const { address } = app.get(ConsoleServer);
  const operators = app.get(OperatorsService);
  if (address === null || app.get(AppConfig).isProduction || (await operators.list()).length > 0) return;
  const { token } = await operators.invite(FIRST_OPERATOR, Role.Admin, SERVICE_ORIGIN);
  process.stdout.write(`
The administration console is at ${address}. This link signs you in as an administrator, once, within ten minutes:

  ${signInLink(app.get(AppConfig), token)}

Another one: ${commandLine(app.get(AppConfig))} operator invite ${FIRST_OPERATOR} --role ${Role.Admin}
`);
}
