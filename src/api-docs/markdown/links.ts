import type MarkdownIt from 'markdown-it';

type Token = MarkdownIt.Token;

/** Where a link of the Markdown leads on the site; nowhere if the site does not show what it names. */
export type LinkTo = (href: string) => string | undefined;

/** Leads links between files to their pages. Of a link that leads nowhere its text stays. */
export function resolveLinks({ tokens, env }: MarkdownIt.StateCore): void {
  const { linkTo } = env as { linkTo: LinkTo };
  for (const token of tokens) token.children &&= resolved(token.children, linkTo);
}

function resolved(children: Token[], linkTo: LinkTo): Token[] {
  const dropped = new Set<Token | undefined>();
  for (const [index, child] of children.entries()) {
    if (child.type !== 'link_open') continue;
    const href = linkTo(String(child.attrGet('href')));
    if (href !== undefined) {
      child.attrSet('href', href);
      continue;
    }
    const end = children.findIndex(({ type }, at) => at > index && type === 'link_close');
    dropped.add(child).add(children[end]);
    const [before, after] = [children[index - 1], children[end + 1]];
    if (before?.content.endsWith('(') && after?.content.startsWith(')')) {
      // Alone in parentheses it says only where to read on.
      before.content = before.content.slice(0, -1).trimEnd();
      after.content = after.content.slice(1);
      for (const inside of children.slice(index, end)) dropped.add(inside);
    }
  }
  return children.filter((child) => !dropped.has(child));
}
