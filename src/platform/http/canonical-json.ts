/** One text for all JSON texts of the same value: members sorted by name, no white space, numbers by value (as RFC 8785 does). */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => [JSON.stringify(name), canonicalJson(member)] as const);
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map((member) => member.join(':')).join(',')}}`;
}
