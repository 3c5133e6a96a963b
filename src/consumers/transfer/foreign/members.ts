import type { JsonObject } from '../../../platform/http/body/strict-json';
import { isObject } from '../../../profiles/profile.fields';

/** Texts of nothing, as tables are written in. */
const NOTHING = new Set(['', 'f', 'false', 'null', 'NULL', '[]', '{}']);

/** The members of an object of another system; those that nobody asks for are what is not kept. */
export class Members {
  private readonly asked = new Set<string>();
  private readonly inner = new Map<string, Members>();
  private readonly left: string[] = [];

  constructor(private readonly object: JsonObject) {}

  names(): string[] {
    return Object.keys(this.object);
  }

  /** A value that is kept, or known not to matter; undefined if it is empty. */
  take(name: string): unknown {
    this.asked.add(name);
    const value = Object.hasOwn(this.object, name) ? this.object[name] : undefined;
    return value === null || value === '' ? undefined : value;
  }

  /** The first of them that is there; all of them are kept. */
  first(...names: string[]): unknown {
    return names.map((name) => this.take(name)).find((value) => value !== undefined);
  }

  /** Members that say nothing about the consumer. */
  ignore(...names: string[]): void {
    for (const name of names) this.asked.add(name);
  }

  list(name: string): JsonObject[] {
    const value = jsonOf(this.take(name));
    return Array.isArray(value) ? value.filter((element): element is JsonObject => isObject(element)) : [];
  }

  /** The members of a member, which is an object or the JSON of one; without any if it is something else. */
  within(name: string): Members {
    const known = this.inner.get(name);
    if (known) return known;
    const value = jsonOf(this.take(name));
    const members = new Members(isObject(value) ? (value as JsonObject) : {});
    this.inner.set(name, members);
    return members;
  }

  /** A value deep inside, by names with dots between them; of a list with one element that element. */
  at(path: string): unknown {
    if (Object.hasOwn(this.object, path)) return single(this.take(path));
    const [name = '', ...rest] = path.split('.');
    return rest.length === 0 ? single(this.take(name)) : this.within(name).at(rest.join('.'));
  }

  /** Says that this is not kept. */
  leave(name: string): void {
    this.left.push(name);
  }

  leftovers(): string[] {
    const own = Object.keys(this.object).filter((name) => !this.asked.has(name) && !isNothing(this.object[name]));
    const inner = [...this.inner].flatMap(([name, members]) => members.leftovers().map((left) => `${name}.${left}`));
    return [...new Set([...own, ...inner, ...this.left])];
  }
}

/** The value of JSON in a text, as the cells of tables have it; any other value as it is. */
export function jsonOf(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

/** A name in an export, whatever stands in its place. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null));

const single = (value: unknown): unknown =>
  Array.isArray(value) && value.length === 1 ? (value[0] as unknown) : value;

function isNothing(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === 0 || NOTHING.has(textOf(value));
}
