/** As much as a text message has room for. */
const MAX_LENGTH = 40;

/** An issuer as people know it: the host of its address, cut at the front; its digits never look like a code. */
export function issuerName(issuer: string): string {
  const name = (URL.canParse(issuer) && new URL(issuer).host) || issuer;
  const plain = name.replace(/\p{C}/gu, '').replace(/[0-9]{6,}/g, '...');
  return plain.length <= MAX_LENGTH ? plain : `...${plain.slice(3 - MAX_LENGTH)}`;
}
