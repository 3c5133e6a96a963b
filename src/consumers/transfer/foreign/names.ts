/**
 * The parts of a name that is written in one: "Lovelace, Ada" has the last name first; otherwise the last word is the last
 * name. One word is a first name, and an e-mail address none.
 */
export function splitName(name: string): { firstName?: string; lastName?: string } {
  const words = name.trim().split(/\s+/u);
  if (name.includes('@') || words[0] === '') return {};
  const [last, first, ...more] = name.split(',').map((part) => part.trim());
  if (last && first && more.length === 0) return { firstName: first, lastName: last };
  if (words.length === 1) return { firstName: words[0] };
  return { firstName: words.slice(0, -1).join(' '), lastName: words.at(-1) };
}
