import MarkdownIt from 'markdown-it';
import { type Fence, markTabs, TAB_LANGUAGES } from './code-tabs';
import { nameHeadings, type Section } from './headings';
import { type LinkTo, resolveLinks } from './links';
import { describeTables } from './tables';

export interface Rendered {
  html: string;
  sections: Section[];
}

/** Code of up to so many characters fits the narrowest phone in one line. */
const WHOLE = 24;

const markdown = new MarkdownIt({ html: false });
const escape = (text: string): string => markdown.utils.escapeHtml(text);

markdown.core.ruler.push('links', resolveLinks);
markdown.core.ruler.push('headings', nameHeadings);
markdown.core.ruler.push('tables', describeTables);
markdown.core.ruler.push('tabs', markTabs);

Object.assign(markdown.renderer.rules, {
  table_open: (tokens, index, _options, _environment, renderer) => {
    const attributes = tokens[index] && renderer.renderAttrs(tokens[index]);
    return `<div${attributes ?? ''}>\n<table>\n`;
  },
  table_close: () => '</table>\n</div>\n',
  code_inline: (tokens, index) => {
    const { content = '' } = tokens[index] ?? {};
    return `<code${content.length <= WHOLE ? ' class="whole"' : ''}>${escape(content)}</code>`;
  },
  fence: (tokens, index) => {
    const { info = '', content = '', meta } = (tokens[index] ?? {}) as Partial<Fence>;
    // Diagrams are drawn where the repository is read.
    if (info === 'mermaid') return '';
    const name = meta ? `<h${meta.level} class="language">${TAB_LANGUAGES[info] ?? ''}</h${meta.level}>\n` : '';
    const code = `<pre tabindex="0"><code class="language-${escape(info)}">${escape(content.trimEnd())}</code></pre>`;
    return `<div class="code">\n${name}${code}\n</div>\n`;
  },
} satisfies MarkdownIt.Renderer['rules']);

/** The HTML of a page; what stands as HTML in the Markdown is shown as text. */
export function renderMarkdown(source: string, linkTo: LinkTo): Rendered {
  const environment = { linkTo, sections: [] };
  return { html: markdown.render(source, environment), sections: environment.sections };
}
