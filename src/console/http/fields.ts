import type { Request } from 'express';

/** The fields that were sent once. */
export function fieldsOf(sent: unknown): Record<string, string> {
  if (typeof sent !== 'object' || sent === null) return {};
  return Object.fromEntries(
    Object.entries(sent).filter((field): field is [string, string] => typeof field[1] === 'string'),
  );
}

/** Whether the address or the form holds U+0000, which PostgreSQL stores in no text. */
export const hasNul = ({ url, body }: Request): boolean =>
  url.includes('%00') || Object.values(fieldsOf(body)).some((value) => value.includes('\0'));
