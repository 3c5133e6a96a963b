import { createHash } from 'node:crypto';

const WEAK = 'W/';
const TOKEN = /[\t ]+|(?<comma>,)|(?<tag>(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")|(?<malformed>.)/gs;

/**
 * A strong entity tag made from the bytes alone, so that it is the same on every replica and after every restart (RFC
 * 9110, section 8.8.3).
 */
export function strongEntityTag(bytes: Buffer): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
}

/** Whether `If-None-Match` lets the request go on; if not, a GET is answered 304. Compares weakly (RFC 9110, section 13.1.2). */
export function ifNoneMatchHolds(field: string | undefined, current: string): boolean {
  // A cache nearly always sends back the one tag that it got.
  if (field === current) return false;
  return field === undefined || !names(field, (tag) => opaqueTag(tag) === opaqueTag(current));
}

/** Whether `If-Match` lets the request go on; if not, it is answered 412. Compares strongly (RFC 9110, section 13.1.1). */
export function ifMatchHolds(field: string | undefined, current: string): boolean {
  return field === undefined || names(field, (tag) => tag === current && !tag.startsWith(WEAK));
}

/** A malformed field matches nothing: accepting half of it could hide or overwrite a change. */
function names(field: string, matches: (tag: string) => boolean): boolean {
  return field === '*' || (entityTags(field)?.some(matches) ?? false);
}

/** Reads a list of entity tags, whose opaque part may itself hold commas; `undefined` when it is not one. */
function entityTags(field: string): string[] | undefined {
  const tags: string[] = [];
  let separated = true;
  for (const { groups } of field.matchAll(TOKEN)) {
    if (groups?.comma) separated = true;
    else if (groups?.tag) {
      if (!separated) return undefined;
      separated = false;
      tags.push(groups.tag);
    } else if (groups?.malformed) return undefined;
  }
  return tags;
}

function opaqueTag(tag: string): string {
  return tag.startsWith(WEAK) ? tag.slice(WEAK.length) : tag;
}
