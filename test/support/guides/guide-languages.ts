import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { GuidePage, Tab } from './guide-pages';

/** A program that hangs has failed. */
const DEADLINE = 120_000;

interface Language {
  name: string;
  /** Each must succeed where the language is installed. */
  tools: string[][];
  /** The name of the program's file. */
  file: (guide: string) => string;
  /** Runs a file. */
  command: string[];
}

const LANGUAGES: Record<Tab, Language> = {
  sh: {
    name: 'curl',
    tools: [
      ['curl', '--version'],
      ['jq', '--version'],
    ],
    file: (guide) => `${guide}.sh`,
    command: ['sh'],
  },
  ts: { name: 'TypeScript', tools: [], file: (guide) => `${guide}.js`, command: [process.execPath] },
  py: { name: 'Python', tools: [['python3', '--version']], file: (guide) => `${guide}.py`, command: ['python3'] },
  php: {
    name: 'PHP',
    tools: [['php', '-r', 'exit(extension_loaded("curl") ? 0 : 1);']],
    file: (guide) => `${guide}.php`,
    command: ['php'],
  },
  java: {
    name: 'Java',
    tools: [['javac', '--version']],
    file: (guide) => `${guide.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}.java`,
    // Starts a short program sooner.
    command: ['java', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'],
  },
};

/** The languages whose programs are compiled before they are run. */
const COMPILED: readonly Tab[] = ['ts', 'java'];

export const fileOf = (tab: Tab, guide: string): string => LANGUAGES[tab].file(guide);

export const nameOf = (tab: Tab): string => LANGUAGES[tab].name;

/** Whether this machine has the language; what is missing is said, since nothing is tested then. With `CI=true` it fails. */
export function isInstalled(tab: Tab): boolean {
  const { name, tools } = LANGUAGES[tab];
  const missing = tools.filter(([tool = '', ...options]) => spawnSync(tool, options).status !== 0);
  if (missing.length === 0) return true;
  const commands = missing.map((command) => command.join(' ')).join(', ');
  const said = `The guides' programs in ${name} are not run, because this fails: ${commands}. See scripts/install-guide-languages.sh`;
  if (process.env.CI === 'true') throw new Error(said);
  process.stderr.write(`${said}\n`);
  return false;
}

export interface Outcome {
  exitCode: number | null;
  /** What it printed, errors included. */
  output: string;
}

export interface Run {
  /** Nothing else but where programs are found. */
  env: Record<string, string>;
  /** What the consumer types. */
  typed: string;
  /** Where it keeps what it keeps. */
  directory: string;
}

/** Runs the program of a guide as the guide says; what is compiled as it lies in the folder `compiled`. */
export async function runProgram(guide: GuidePage, tab: Tab, compiled: string, run: Run): Promise<Outcome> {
  await mkdir(run.directory, { recursive: true });
  const path = join(COMPILED.includes(tab) ? compiled : run.directory, fileOf(tab, guide.name));
  if (!COMPILED.includes(tab)) await writeFile(path, guide.program(tab));
  const [tool = '', ...options] = LANGUAGES[tab].command;
  const program = tab === 'java' ? ['-cp', compiled, basename(path, '.java')] : [path];
  const { PATH, HOME } = process.env;
  const child = spawn(tool, [...options, ...program], {
    cwd: run.directory,
    env: { PATH, HOME, ...run.env },
    timeout: DEADLINE,
  });
  child.stdin.on('error', () => undefined).end(run.typed);
  const [printed, complained, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { exitCode, output: printed + complained };
}
