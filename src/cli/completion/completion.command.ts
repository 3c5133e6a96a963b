import { Argument, type Command } from 'commander';
import { command, type CommonOptions } from '../command';
import { OptionError } from '../option-values';
import { printResult } from '../output';
import { placesOf } from './places';
import { SCRIPTS } from './scripts';

const SHELLS = Object.keys(SCRIPTS);

/** Made of the definitions of all commands, which no shell needs to ask for again. */
export const completionCommand = (): Command =>
  command('completion', 'Print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .option('--name <name>', 'what the command is called in the shell', parseName, 'cli')
    .action((shell: keyof typeof SCRIPTS, options: CommonOptions & { name: string }, { parent }: Command) => {
      if (!parent) throw new Error('The command has a parent');
      const script = SCRIPTS[shell](options.name, placesOf(parent));
      if (options.json) printResult({ shell, script }, options);
      else process.stdout.write(script);
    });

function parseName(value: string): string {
  if (/^[a-z_][\w-]*$/i.test(value)) return value;
  throw new OptionError('--name must be a name of letters, digits, - and _');
}
