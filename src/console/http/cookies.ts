import type { Request, Response } from 'express';

const HOUR_MS = 3_600_000;
const TEN_MINUTES_MS = 600_000;

/** The cookies of a console that is reached by `https:` or, on loopback, without. */
export class Cookies {
  constructor(private readonly isSecure: boolean) {}

  session(request: Request): string | undefined {
    return this.read(request, 'console');
  }

  setSession(response: Response, value: string): void {
    this.set(response, 'console', value, 12 * HOUR_MS);
  }

  clearSession(response: Response): void {
    this.set(response, 'console', '', 0);
  }

  /** Where somebody was who had to sign in. */
  destination(request: Request): string | undefined {
    return this.read(request, 'console-to');
  }

  setDestination(response: Response, path: string): void {
    this.set(response, 'console-to', path, TEN_MINUTES_MS);
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
