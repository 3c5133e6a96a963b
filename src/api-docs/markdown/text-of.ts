import type MarkdownIt from 'markdown-it';

/** What a reader sees of it. */
export const textOf = (token: MarkdownIt.Token | undefined): string =>
  (token?.children ?? []).map(({ type, content }) => (type === 'softbreak' ? ' ' : content)).join('');
