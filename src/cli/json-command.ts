import { CommandRunner, Option } from 'nest-commander';
import { printable } from './output';

/** A command that prints one result: for people, or with `--json` as one JSON value. */
export abstract class JsonCommand extends CommandRunner {
  /** Commander would ignore the second code in `disable a b`. */
  override setCommand(command: Parameters<CommandRunner['setCommand']>[0]): this {
    return super.setCommand(command.allowExcessArguments(false));
  }

  @Option({ flags: '--json', description: 'print one JSON value' })
  parseJson(): boolean {
    return true;
  }

  protected print(result: object, { json }: { json?: boolean }): void {
    process.stdout.write(`${json ? printable(JSON.stringify(result)) : readable(result)}\n`);
  }
}

/** One line a field; the entries of a list are set apart by an empty line. */
function readable(result: unknown, indent = ''): string {
  if (Array.isArray(result)) return result.map((entry) => readable(entry, indent)).join('\n\n');
  if (typeof result !== 'object' || result === null) return `${indent}${printable(String(result))}`;
  return Object.entries(result)
    .map(([name, value]) =>
      typeof value === 'object' && value !== null
        ? `${indent}${printable(name)}:\n${readable(value, `${indent}  `)}`
        : `${indent}${printable(name)}: ${value === null ? '-' : printable(String(value))}`,
    )
    .join('\n');
}
