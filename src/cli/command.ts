import { Command } from 'commander';

/** Options that every command takes. */
export interface CommonOptions {
  json?: boolean;
}

/** A command that does something and prints one result. */
export const command = (name: string, description: string): Command =>
  new Command(name).description(description).option('--json', 'print one JSON value').allowExcessArguments(false);

/** A command that groups others; without one of them it lists them. */
export function commandGroup(name: string, description: string, commands: Command[]): Command {
  const group = new Command(name).description(description).allowExcessArguments();
  for (const member of commands) group.addCommand(member);
  return group.action((_options: object, { args: [unknown] }: Command) => {
    if (unknown === undefined) group.help({ error: true });
    group.error(`error: unknown command '${fullName(group)} ${unknown}'; see ${fullName(group)} --help`);
  });
}

/** The full name of the command, without that of the program, such as `touchpoint provider`. */
const fullName = (group: Command): string =>
  group.parent?.parent ? `${fullName(group.parent)} ${group.name()}` : group.name();
