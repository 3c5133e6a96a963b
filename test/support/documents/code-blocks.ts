interface CodeBlock {
  code: string;
  /** The status line, without its version, of the answer that the page shows next. */
  answer: string | undefined;
}

const unescaped = (html: string): string =>
  html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

/** The blocks of a page of the documentation in this language, in their order. */
export function blocksOf(html: string, language: string): CodeBlock[] {
  const blocks = [...html.matchAll(/<pre[^>]*><code class="language-(\w+)">([^<]*)<\/code><\/pre>/g)];
  return blocks.flatMap(([, own, code = ''], index) => {
    const [, next, shown = ''] = blocks[index + 1] ?? [];
    const answer = next === 'http' ? /^HTTP\/1\.1 ([^\n]*)/.exec(shown)?.[1] : undefined;
    return own === language ? [{ code: unescaped(code), answer }] : [];
  });
}
