import { ApiError } from '../../errors/api-error';

type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/** A JSON object as a client sent it; `__proto__` is a key like any other. */
export type JsonObject = { [key: string]: JsonValue };

/** How deep objects and arrays may be nested, including the outermost. */
const MAX_DEPTH = 32;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The parts of a valid JSON text except punctuation and literals: strings (a key if a colon follows), brackets,
 * numbers.
 */
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\]]|-?\d[\d.eE+-]*/g;

/** The object in a request's body, or `MALFORMED_JSON` for anything that two readers could understand differently (RFC 8259, RFC 7493). */
export function parseStrictJson(bytes: Buffer): JsonObject {
  const text = decode(bytes);
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw malformed('The body must be a JSON object.');
  }
  refuseAmbiguity(text);
  return value;
}

function decode(bytes: Buffer): string {
  if (bytes.length === 0) throw malformed('The body is empty.');
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw malformed('The body is not valid UTF-8.');
  }
  // RFC 8259 section 8.1 lets the reader decide; without it equal bodies have equal hashes.
  if (text.startsWith('\uFEFF')) throw malformed('The body must not start with a byte order mark.');
  return text;
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // V8's message quotes the input, which may hold a password, so it is not kept as the cause.
    throw malformed('The body is not valid JSON.');
  }
}

/** Finds in a valid text what `JSON.parse` accepts or silently changes. */
function refuseAmbiguity(text: string): void {
  const keysByDepth: Set<string>[] = [];
  let depth = 0;
  for (const [token, string, colon] of text.matchAll(TOKEN)) {
    if (string !== undefined) {
      const decoded = decodeString(string);
      if (colon !== undefined) addKey((keysByDepth[depth] ??= new Set()), decoded);
    } else if (token === '{' || token === '[') {
      if (++depth > MAX_DEPTH) throw malformed(`The body is nested more than ${MAX_DEPTH} levels deep.`);
    } else if (token === '}' || token === ']') {
      keysByDepth[depth--]?.clear();
    } else {
      refuseUnsafeNumber(token);
    }
  }
}

function decodeString(literal: string): string {
  if (!literal.includes('\\')) return literal.slice(1, -1);
  const string = JSON.parse(literal) as string;
  if (string.includes('\0')) throw malformed('A string holds the character U+0000.');
  if (/\p{Surrogate}/u.test(string)) throw malformed('A string holds half of a surrogate pair.');
  return string;
}

function addKey(keys: Set<string>, key: string): void {
  if (keys.has(key)) throw malformed('An object has the same key twice.');
  keys.add(key);
}

/** A client must get back the number that it sent: IEEE 754 doubles are exact for integers up to 2^53 - 1 (RFC 7493 section 2.2). */
function refuseUnsafeNumber(literal: string): void {
  const number = Number(literal);
  const exact = /^-?\d+$/.test(literal) ? Number.isSafeInteger(number) : Number.isFinite(number);
  if (!exact) throw malformed('A number is too large.');
}

const malformed = (detail: string): ApiError => new ApiError('MALFORMED_JSON', { detail });
