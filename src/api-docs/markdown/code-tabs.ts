import type MarkdownIt from 'markdown-it';

/** The languages between which a reader chooses. */
export const TAB_LANGUAGES: Record<string, string> = {
  sh: 'curl',
  ts: 'TypeScript',
  py: 'Python',
  php: 'PHP',
  java: 'Java',
};

type Token = MarkdownIt.Token;

/** A block of code; in a group it knows the level of its heading. */
export type Fence = Omit<Token, 'meta'> & { meta: { level: number } | null };

/**
 * Puts blocks of code that follow each other in different languages into one group, of which the page shows one at a
 * time. Each gets a heading, of the level below the section's, that says its language.
 */
export function markTabs(state: MarkdownIt.StateCore): void {
  const arranged: Token[] = [];
  let group: Token[] = [];
  let level = 1;
  const endGroup = () => {
    if (group.length > 1) {
      for (const block of group) block.meta = { level: Math.min(level + 1, 6) };
      arranged.push(tabs(state, 1), ...group, tabs(state, -1));
    } else arranged.push(...group);
    group = [];
  };
  for (const token of state.tokens) {
    if (token.type === 'fence' && token.info in TAB_LANGUAGES) {
      if (group.some(({ info }) => info === token.info)) endGroup();
      group.push(token);
      continue;
    }
    endGroup();
    if (token.type === 'heading_open') level = Number(token.tag.slice(1));
    arranged.push(token);
  }
  endGroup();
  state.tokens = arranged;
}

function tabs({ Token }: MarkdownIt.StateCore, nesting: 1 | -1): Token {
  const token = new Token('tabs', 'div', nesting);
  token.block = true;
  if (nesting === 1) token.attrs = [['class', 'tabs']];
  return token;
}
