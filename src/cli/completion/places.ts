import type { Argument, Command, Option } from 'commander';

/** What follows an option or stands as an argument: one of these words, the name of a file, anything, or nothing. */
type Value = string[] | 'file' | 'any' | 'none';

/** What can be typed behind a command. */
export interface Place {
  /** The names that lead there, each after a space: ` touchpoint create`. */
  at: string;
  commands: { name: string; description: string }[];
  options: { short: string | undefined; long: string; description: string; value: Value }[];
  argument: Value;
}

/** This command and all below it. */
export function placesOf(command: Command, at = ''): Place[] {
  const help = command.createHelp();
  const place = {
    at,
    commands: help.visibleCommands(command).map((each) => ({ name: each.name(), description: each.description() })),
    options: help.visibleOptions(command).map((option) => ({
      ...{ short: option.short, long: option.long ?? '', description: option.description },
      value: option.required ? valueOf(option, option.flags) : 'none',
    })),
    argument: command.registeredArguments
      .map((each) => valueOf(each, `<${each.name()}>`))
      .find((each) => each !== 'any'),
  } satisfies Partial<Place>;
  const below = command.commands.flatMap((member) => placesOf(member, `${at} ${member.name()}`));
  return [{ ...place, argument: place.argument ?? 'none' }, ...below];
}

function valueOf({ argChoices }: Option | Argument, written: string): Value {
  return argChoices ?? (/<(file|path)>/.test(written) ? 'file' : 'any');
}
