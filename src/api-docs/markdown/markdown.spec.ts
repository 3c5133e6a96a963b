import { renderMarkdown } from './markdown';

const html = (source: string) => renderMarkdown(source, (href) => (href.startsWith('gone') ? undefined : href)).html;

describe('the Markdown of a page', () => {
  it('shows HTML as the text that it is, and links to no script', () => {
    expect(html('<script>alert(1)</script>\n\na <b onclick="x">b</b>')).not.toMatch(/<script|<b /);
    expect(html('[x](javascript:alert(1)) ![x](data:text/html,x)')).not.toMatch(/href=|src=/);
    expect(html('```sh\n<img src=x>\n```\n\n`<img>`')).not.toContain('<img');
    expect(html('```"><img>\nx\n```')).not.toContain('<img');
  });

  it('has the anchors that GitHub gives, no two alike', () => {
    const source = '# A page\n\n## What `Retry-After` says, and why\n\n## Added\n\n## Added\n\n## Added';
    const { sections } = renderMarkdown(source, (href) => href);
    expect(sections.map(({ id }) => id)).toEqual([
      'a-page',
      'what-retry-after-says-and-why',
      'added',
      'added-1',
      'added-2',
    ]);
    expect(html(source)).toContain('<h2 id="added-1"><a href="#added-1">Added</a></h2>');
  });

  it('gathers the text below each heading, with examples of answers and without programs', () => {
    const source =
      '# A\n\none `two`\nthree\n\n## B\n\n| x | y |\n| - | - |\n| 1 | [2](z) |\n\n```json\n{}\n```\n\n```ts\nno()\n```';
    const { sections } = renderMarkdown(source, (href) => href);
    expect(sections.map(({ title, text }) => [title, text])).toEqual([
      ['A', 'one two three'],
      ['B', 'x y 1 2 {}'],
    ]);
  });

  it('leaves of a link that leads nowhere the text, and nothing of one that only says where to read on', () => {
    expect(html('Read [this](gone.md), or [that](here.md).')).toBe(
      '<p>Read this, or <a href="here.md">that</a>.</p>\n',
    );
    expect(html('It waits ([how](gone.md)). It ends ([why](here.md)).')).toBe(
      '<p>It waits. It ends (<a href="here.md">why</a>).</p>\n',
    );
  });

  it('groups blocks in different languages that follow each other, below a heading of the next level', () => {
    const block = (language: string) => `\`\`\`${language}\n1\n\`\`\`\n\n`;
    const languages = (source: string) =>
      [...html(source).matchAll(/class="tabs"|class="language">(\w+)/g)].map(([, name = '[']) => name);
    expect(languages(`## A\n\n${block('sh')}${block('ts')}${block('java')}`)).toEqual([
      '[',
      'curl',
      'TypeScript',
      'Java',
    ]);
    expect(languages(`${block('sh')}${block('sh')}`)).toEqual([]);
    expect(languages(`${block('sh')}${block('http')}${block('ts')}`)).toEqual([]);
    expect(languages(`${block('sh')}${block('py')}\ntext\n\n${block('sh')}${block('php')}`)).toEqual([
      '[',
      'curl',
      'Python',
      '[',
      'curl',
      'PHP',
    ]);
    expect(html(`### A\n\n${block('sh')}${block('ts')}`)).toContain('<h4 class="language">curl</h4>');
  });

  it('names the column in each cell of a table, without a style', () => {
    const table = html('# T\n\n| A | B | C |\n| :- | -: | - |\n| 1 | 2 | 3 |');
    expect(table).toContain('<td data-label="A">1</td>\n<td data-label="B">2</td>\n<td data-label="C">3</td>');
    expect(table).toContain('aria-labelledby="t" role="region" tabindex="0" class="scroll wide"');
    expect(table).not.toContain('style=');
    expect(html('| A | B |\n| - | - |\n| 1 | 2 |')).toContain('class="scroll"');
  });

  it('gives the second table of a section a name of its own', () => {
    const table = '| A | B |\n| - | - |\n| 1 | 2 |\n';
    expect(html(`# T\n\n${table}\nMore:\n\n${table}`).match(/aria-label\S*="[^"]*"/g)).toEqual([
      'aria-labelledby="t"',
      'aria-label="T, continued"',
    ]);
  });

  it('leaves out diagrams, which need a program to be drawn', () => {
    expect(html('a\n\n```mermaid\ngraph\n```\n\nb')).toBe('<p>a</p>\n<p>b</p>\n');
  });
});
