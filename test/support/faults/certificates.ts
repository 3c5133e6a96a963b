import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const DAYS = '1';

/** An authority of the test's own, and the certificate that it gave to a server of one name. */
export class Certificates {
  private readonly directory = mkdtempSync(join(tmpdir(), 'certificates-'));

  constructor(readonly name: string) {
    chmodSync(this.directory, 0o755);
    this.openssl('req', '-x509', ...this.newKey('authority'), '-subj', '/CN=authority', '-out', this.authority);
    const request = join(this.directory, 'server.csr');
    this.openssl('req', ...this.newKey('server'), '-subj', `/CN=${name}`, '-out', request);
    const extensions = join(this.directory, 'extensions');
    writeFileSync(extensions, `subjectAltName=DNS:${name}`);
    const signing = ['-CA', this.authority, '-CAkey', this.file('authority.key'), '-CAcreateserial'];
    this.openssl('x509', '-req', '-in', request, ...signing, '-extfile', extensions, '-out', this.certificate);
  }

  get authority(): string {
    return this.file('authority.crt');
  }

  get certificate(): string {
    return this.file('server.crt');
  }

  get key(): string {
    return this.file('server.key');
  }

  /** PostgreSQL reads a key of its own user alone. */
  giveTo(user: string): void {
    if (process.getuid?.() === 0) execFileSync('chown', [user, this.key]);
  }

  dispose(): void {
    rmSync(this.directory, { recursive: true });
  }

  private file(name: string): string {
    return join(this.directory, name);
  }

  private newKey(name: string): string[] {
    return ['-newkey', 'rsa:2048', '-noenc', '-days', DAYS, '-keyout', this.file(`${name}.key`)];
  }

  private openssl(...args: string[]): void {
    execFileSync('openssl', args, { stdio: 'ignore' });
  }
}
