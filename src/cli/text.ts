import { styleText } from 'node:util';

type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow';

/** Characters that could control a terminal, hide text or begin a new line. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Text from any source, safe to show: escaped as in JSON, so that JSON keeps its value. */
export const printable = (text: string): string =>
  text.replace(UNPRINTABLE, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );

/** Styled on a terminal that shows colours, unless `NO_COLOR` is set; elsewhere only if `FORCE_COLOR` is. */
export const styled = (style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string =>
  styleText(style, text, { stream });
