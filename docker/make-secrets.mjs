// Makes the secrets of the compose files: .env and secrets/jwt-keys.json beside this file, or in the directory given.
// What is there already stays as it is.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const directory = resolve(process.argv[2] ?? import.meta.dirname);

/** @param {string} name @param {number} mode @param {() => string} content */
function make(name, mode, content) {
  const path = join(directory, name);
  if (existsSync(path)) {
    console.log(`${path} is there already`);
    return;
  }
  writeFileSync(path, content(), { mode, flag: 'wx' });
  // The umask may have taken away what the container needs.
  chmodSync(path, mode);
  console.log(`${path} has been made`);
}

function jwtKeys() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return `${JSON.stringify({ keys: [privateKey.export({ format: 'jwk' })] }, null, 2)}\n`;
}

make('.env', 0o600, () => {
  const appSecret = randomBytes(48).toString('base64url');
  // It stands in an address, so it may hold only what needs no encoding there.
  const databasePassword = randomBytes(24).toString('hex');
  return `APP_SECRET=${appSecret}\nPOSTGRES_PASSWORD=${databasePassword}\n`;
});
// The directory keeps others of this machine out; the file itself is mounted, and the container's user reads it.
mkdirSync(join(directory, 'secrets'), { recursive: true, mode: 0o700 });
make('secrets/jwt-keys.json', 0o644, jwtKeys);
