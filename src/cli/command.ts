import { Command } from 'commander';

/** What every command takes beside its own options. */
export interface CommonOptions {
  json?: boolean;
}

/** A command that does something and prints one result. */
export const command = (name: string, description: string): Command =>
  new Command(name).description(description).option('--json', 'print one JSON value').allowExcessArguments(false);

/** A command that only holds others: by itself it shows which they are. */
export function commandGroup(name: string, description: string, commands: Command[]): Command {
  const group = new Command(name).description(description).allowExcessArguments();
  for (const member of commands) group.addCommand(member);
  return group.action((_options: object, { args: [unknown] }: Command) => {
    if (unknown === undefined) group.help({ error: true });
    group.error(`error: unknown command '${fullName(group)} ${unknown}'; see ${fullName(group)} --help`);
  });
}

/** `touchpoint provider`: without the name of the program. */
const fullName = (group: Command): string =>
  group.parent?.parent ? `${fullName(group.parent)} ${group.name()}` : group.name();
