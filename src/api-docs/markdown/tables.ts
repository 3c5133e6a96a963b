import type MarkdownIt from 'markdown-it';
import { textOf } from './text-of';

/** Tables with so many columns do not fit a phone. */
const WIDE = 3;

/** Tells each cell the name of its column, and lets the keyboard scroll the table where the window is narrow. */
export function describeTables({ tokens }: MarkdownIt.StateCore): void {
  let names: string[] = [];
  let column = 0;
  for (const [index, token] of tokens.entries()) {
    switch (token.type) {
      case 'table_open':
        names = [];
        token.attrSet('role', 'region');
        token.attrSet('tabindex', '0');
        break;
      case 'thead_close':
        tokens
          .findLast(({ type }, at) => at < index && type === 'table_open')
          ?.attrSet('class', names.length >= WIDE ? 'scroll wide' : 'scroll');
        break;
      case 'tr_open':
        column = 0;
        break;
      case 'th_open':
        // The alignment of a column would be an inline style, which the policy of the page forbids.
        token.attrs = null;
        names.push(textOf(tokens[index + 1]));
        break;
      case 'td_open':
        token.attrs = [['data-label', names[column] ?? '']];
        column += 1;
    }
  }
}
