import { styleText } from 'node:util';
import { Argument, Command, Option } from 'commander';

/** Options that every command takes. */
export interface CommonOptions {
  json?: boolean;
}

/** A command that does something and prints one result. */
export const command = (name: string, description: string): Command =>
  new Command(name).description(description).option('--json', 'print one JSON value').allowExcessArguments(false);

/** Of a part of the help; the parser removes the style where it is not seen. */
export const boldTitle = (title: string): string => styleText('bold', title, { validateStream: false });

/** A command that groups others; without one of them it lists them. */
export function commandGroup(name: string, description: string, commands: Command[], examples: string[] = []): Command {
  const group = new Command(name).description(description);
  for (const member of commands) group.addCommand(member);
  const lines = ['', boldTitle('Examples:'), ...examples.map((example) => `  cli ${example}`)];
  if (examples.length > 0) group.addHelpText('after', lines.join('\n'));
  return group;
}

/** An option whose values help and completion name; the command itself refuses others. */
export const choosing = (flags: string, description: string, choices: string[]): Option =>
  Object.assign(new Option(flags, description), { argChoices: choices });

/** The same of an argument. */
export const choosingArgument = (name: string, description: string, choices: string[]): Argument =>
  Object.assign(new Argument(name, description), { argChoices: choices });

/** The full name of a command, without that of the program, such as `touchpoint provider`. */
export const fullName = (of: Command): string => (of.parent ? [fullName(of.parent), of.name()].join(' ').trim() : '');
