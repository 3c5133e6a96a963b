import { CommandRunner } from 'nest-commander';

/** A command that only holds others: by itself it shows which they are. */
export abstract class CommandGroup extends CommandRunner {
  run([unknown]: string[]): Promise<void> {
    const name = fullName(this.command);
    if (unknown !== undefined) this.command.error(`error: unknown command '${name} ${unknown}'; see ${name} --help`);
    this.command.help({ error: true });
  }
}

/** `touchpoint provider`: without the name of the program. */
function fullName(command: CommandRunner['command']): string {
  const name = command.name();
  return command.parent?.parent ? `${fullName(command.parent)} ${name}` : name;
}
