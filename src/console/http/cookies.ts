import type { Request, Response } from 'express';
import { z } from 'zod';

const HOUR_MS = 3_600_000;
const TEN_MINUTES_MS = 600_000;
/** With its name and attributes a cookie may have 4,096 bytes. */
const MAX_COOKIE_LENGTH = 3_500;

const typedShape = z.object({ page: z.string(), fields: z.record(z.string(), z.string()) });

function parsedOrNull(text = 'null'): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The cookies of a console that is reached by `https:` or, on loopback, without. */
export class Cookies {
  constructor(private readonly isSecure: boolean) {}

  session(request: Request): string | undefined {
    return this.read(request, 'console');
  }

  setSession(response: Response, value: string): void {
    this.set(response, 'console', value, 12 * HOUR_MS);
  }

  /** At the end of a session; who signs in next goes on where it ended only if the operator `returns`. */
  forgetOperator(response: Response, { returns }: { returns: boolean }): void {
    this.set(response, 'console', '', 0);
    this.clearTyped(response);
    if (!returns) this.clearDestination(response);
  }

  /** The page at which somebody was asked to sign in. */
  destination(request: Request): string | undefined {
    return this.read(request, 'console-to');
  }

  setDestination(response: Response, path: string): void {
    this.set(response, 'console-to', path, TEN_MINUTES_MS);
  }

  clearDestination(response: Response): void {
    this.set(response, 'console-to', '', 0);
  }

  /** What was typed into the form of a page at which somebody was asked to sign in. */
  typed(request: Request): Record<string, string> {
    const { success, data } = typedShape.safeParse(parsedOrNull(this.read(request, 'console-typed')));
    return success && data.page === request.path ? data.fields : {};
  }

  /** Too long for a cookie, it is lost. */
  setTyped(response: Response, page: string, fields: Record<string, string>): void {
    const value = JSON.stringify({ page, fields });
    if (encodeURIComponent(value).length <= MAX_COOKIE_LENGTH)
      this.set(response, 'console-typed', value, TEN_MINUTES_MS);
  }

  clearTyped(response: Response): void {
    this.set(response, 'console-typed', '', 0);
  }

  /** What the browser keeps during a sign-in with the company's provider. */
  pendingSignIn(request: Request): string | undefined {
    return this.read(request, 'console-sign-in');
  }

  setPendingSignIn(response: Response, value: string): void {
    this.set(response, 'console-sign-in', value, TEN_MINUTES_MS);
  }

  clearPendingSignIn(response: Response): void {
    this.set(response, 'console-sign-in', '', 0);
  }

  /** The prefix makes browsers refuse a cookie that another host or an insecure page has set (RFC 6265bis, 4.1.3). */
  private nameOf(name: string): string {
    return this.isSecure ? `__Host-${name}` : name;
  }

  private set(response: Response, name: string, value: string, maxAge: number): void {
    response.cookie(this.nameOf(name), value, {
      ...{ httpOnly: true, secure: this.isSecure, sameSite: 'lax', path: '/', maxAge },
    });
  }

  private read({ headers }: Request, name: string): string | undefined {
    const wanted = `${this.nameOf(name)}=`;
    const found = (headers.cookie ?? '').split(/; */).filter((pair) => pair.startsWith(wanted));
    const [pair, ...others] = found;
    if (pair === undefined || others.length > 0) return undefined;
    try {
      return decodeURIComponent(pair.slice(wanted.length)) || undefined;
    } catch {
      return undefined;
    }
  }
}

/** A path of the console to continue at; never one that a browser takes for another host. */
export const ownPath = (path = '/'): string => (/^\/(?![/\\])[\x21-\x7e]*$/.test(path) ? path : '/');
