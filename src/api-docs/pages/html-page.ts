import { createHash } from 'node:crypto';

/** The style of the pages: no file is loaded, and the colours follow the reader's system. */
const STYLE = `
:root { color-scheme: light dark; --text: #1b2430; --soft: #5a6675; --line: #dfe4ea; --panel: #f5f7f9; --back: #fff; --link: #0b5cad }
@media (prefers-color-scheme: dark) {
  :root { --text: #e4e9ef; --soft: #9aa7b5; --line: #303a45; --panel: #1a2129; --back: #12171d; --link: #79b8ff }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--back); color: var(--text); font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: break-word }
header, main { max-width: 52rem; margin: 0 auto; padding: 0 1.25rem }
header { padding-top: 1rem; padding-bottom: 1rem; border-bottom: 1px solid var(--line) }
header a { margin-right: 1.25rem }
main { padding-top: 1.5rem; padding-bottom: 4rem }
a { color: var(--link) }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0 0 .75rem }
h2 { font-size: 1.2rem; margin: 2.25rem 0 .5rem }
p, ul { margin: .5rem 0 }
code, pre { font: .875rem/1.55 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
:not(pre) > code { background: var(--panel); padding: .1em .35em; border-radius: 4px }
h1 code { font-size: inherit; background: none !important; padding: 0 !important }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: .85rem 1rem; overflow-x: auto }
pre.answer { border-left: 3px solid var(--soft) }
.soft { color: var(--soft) }
table { border-collapse: collapse; width: 100% }
th { text-align: left; font-size: .875rem; color: var(--soft) }
th, td { padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line); vertical-align: top }
td:first-child { width: 3.5rem }
@media (max-width: 40rem) {
  tr { display: block; padding: .5rem 0; border-bottom: 1px solid var(--line) }
  th { display: none }
  td { display: block; border: 0; padding: .1rem 0 }
  td:first-child, td:nth-child(2) { display: inline; padding-right: .5rem }
}
`.trim();

/** For `Content-Security-Policy`: the page holds its own style and may load nothing. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A page for partner developers; `body` is HTML, in which all text must be escaped. */
export const htmlPage = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header><a href="/docs">API</a> <a href="/docs/getting-started">Getting started</a> <a href="/docs/errors">Errors</a></header>
<main>
${body.trim()}
</main>
</body>
</html>
`;

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '');

/** Text whose `code` stands between backticks and whose links are written \`[text](address)\`. */
export const inline = (text: string): string =>
  escaped(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\[([^\]]+)\]\(([^)]+)\)/g, '<a href="$2">$1</a>');
