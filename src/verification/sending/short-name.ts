/** As much as a text message has room for. */
const MAX_LENGTH = 40;

/** An issuer as people know it: the host of its address, cut at the front. */
export function issuerName(issuer: string): string {
  const name = plain((URL.canParse(issuer) && new URL(issuer).host) || issuer);
  return name.length <= MAX_LENGTH ? name : `...${name.slice(3 - MAX_LENGTH)}`;
}

/** A touchpoint's name, cut at the end. */
export function shortName(text: string): string {
  const characters = Array.from(plain(text));
  return characters.length <= MAX_LENGTH ? characters.join('') : `${characters.slice(0, MAX_LENGTH - 3).join('')}...`;
}

/** On one line, and without digits that look like a code. */
const plain = (text: string): string => text.replace(/\p{C}/gu, '').replace(/[0-9]{6,}/g, '...');
