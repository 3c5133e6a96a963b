import type MarkdownIt from 'markdown-it';
import { textOf } from './text-of';

/** A heading of a page and what stands below it, up to the next one. */
export interface Section {
  /** The anchor of the heading. */
  id: string;
  level: number;
  title: string;
  text: string;
}

/** What a reader looks for by its words; programs would only add noise. */
const SEARCHED_CODE = ['http', 'json'];

/** Gives each heading the anchor that GitHub would give it and a link to it, and gathers the text below it. */
export function nameHeadings({ tokens, env, Token }: MarkdownIt.StateCore): void {
  const { sections } = env as { sections: Section[] };
  /** The last one that a table has the name of. */
  let labelled: Section | undefined;
  for (const [index, token] of tokens.entries()) {
    const section = sections.at(-1);
    if (token.type === 'heading_open') {
      const inline = tokens[index + 1];
      const title = textOf(inline);
      const id = unusedAnchor(title, sections);
      token.attrSet('id', id);
      const level = Number(token.tag.slice(1));
      if (level > 1 && inline?.children?.every(({ type }) => type !== 'link_open')) {
        const link = new Token('link_open', 'a', 1);
        link.attrs = [['href', `#${id}`]];
        inline.children = [link, ...inline.children, new Token('link_close', 'a', -1)];
      }
      sections.push({ id, level, title, text: '' });
    } else if (token.type === 'table_open') {
      // Two regions of a page must not have one name.
      const isSecond = section === labelled;
      if (isSecond) token.attrSet('aria-label', `${section?.title ?? ''}, continued`);
      else token.attrSet('aria-labelledby', section?.id ?? '');
      labelled = section;
    } else if (section && tokens[index - 1]?.type !== 'heading_open') {
      const text = SEARCHED_CODE.includes(token.info) ? token.content : textOf(token);
      section.text = `${section.text} ${text}`.trim();
    }
  }
}

function unusedAnchor(title: string, sections: Section[]): string {
  const anchor = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
  const isUsed = (id: string) => sections.some((section) => section.id === id);
  for (let count = 1, id = anchor; ; id = `${anchor}-${count}`, count += 1) if (!isUsed(id)) return id;
}
