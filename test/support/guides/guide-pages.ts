import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pagesIn, ROOT } from '../documents/pages';

/** The languages of the guides' tabs, in their order. */
export const TABS = ['sh', 'ts', 'py', 'php', 'java'] as const;
export type Tab = (typeof TABS)[number];

const GUIDES = 'docs/integrate/guides';

/** A block of code of a page, with what stands above it. */
interface Block {
  language: string;
  code: string;
  /** The paragraph above. */
  before: string;
}

/** The blocks of code of a page, or those of one language, in their order. */
export function blocksIn(page: string, only?: Tab): Block[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const blocks = [...text.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].map((found) => ({
    language: found[1] ?? '',
    code: found[2] ?? '',
    before: text.slice(0, found.index).trimEnd().split('\n\n').at(-1) ?? '',
  }));
  return blocks.filter(({ language }) => only === undefined || language === only);
}

/** A guide, whose blocks of one language are one program. */
export class GuidePage {
  private readonly blocks: Block[];

  constructor(readonly name: string) {
    this.blocks = blocksIn(`${GUIDES}/${name}.md`);
  }

  static all(): GuidePage[] {
    return pagesIn(GUIDES).map((page) => new GuidePage(page.slice(GUIDES.length + 1, -'.md'.length)));
  }

  program(tab: Tab): string {
    return this.codeIn(tab).join('');
  }

  /** What comes before the first step: how a request is sent. */
  setUp(tab: Tab): string {
    return this.codeIn(tab)[0] ?? '';
  }

  /** The language of each block of the programs, and whether it stands beside the one before, as in one group of tabs. */
  get tabs(): [string, boolean][] {
    const isTab = ({ language }: Block) => (TABS as readonly string[]).includes(language);
    return this.blocks.filter(isTab).map(({ language, before }) => [language, before.endsWith('```')]);
  }

  /** The arguments of the command by which an administrator prepares a touchpoint or a subscriber. */
  get preparation(): string[] {
    const [command = 'cli -- touchpoint create --code shop'] = this.codeIn('console');
    return command
      .trim()
      .replaceAll(/\\\n\s*/g, '')
      .replace(/^.*cli -- /, '')
      .split(/\s+/);
  }

  private codeIn(language: string): string[] {
    return this.blocks.filter((block) => block.language === language).map(({ code }) => code);
  }
}
