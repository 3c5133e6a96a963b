import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { auditCommands } from './cli/audit.commands';
import { consumerCommands } from './cli/consumer/consumer.commands';
import { dbCommands } from './cli/db.commands';
import { keysCommands } from './cli/keys.commands';
import { messageCommands } from './cli/message.commands';
import { operatorCommands } from './cli/operator.commands';
import { printFailure, watchOutput } from './cli/output';
import { touchpointCommands } from './cli/touchpoint/touchpoint.commands';
import { SettingsError } from './platform/settings-error';

/** Messages go to standard error: standard output belongs to the result. */
function fail(error: unknown): never {
  // Node's error for a name with several addresses, none of which answers, says nothing itself.
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const message = cause instanceof Error ? cause.message : String(cause);
  // Settings get a line each; what was typed may hold a line break.
  printFailure(cause instanceof SettingsError ? message : inOneLine(message));
  process.exit(1);
}

const inOneLine = (text: string): string => text.trim().replace(/\s*\n\s*/g, ' ');

/** What the parser refuses is told as every other failure; it puts what it suggests on a line of its own. */
function tellRefusals(command: Command): void {
  command.configureOutput({
    outputError: (text) => {
      printFailure(inOneLine(text).replace(/^error: /, ''));
    },
  });
  command.commands.forEach(tellRefusals);
}

async function main(): Promise<void> {
  watchOutput();
  if (existsSync('.env')) process.loadEnvFile('.env');
  const program = new Command('cli');
  for (const group of [
    auditCommands(),
    consumerCommands(),
    dbCommands(),
    keysCommands(),
    messageCommands(),
    operatorCommands(),
    touchpointCommands(),
  ])
    program.addCommand(group);
  tellRefusals(program);
  await program.parseAsync();
}

main().catch(fail);
