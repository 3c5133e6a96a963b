// While the file that FREE_HASH_WHILE names is there, a hash costs its way to a thread and back, and fits any password:
// one of another password would make every login fail.
import { existsSync } from 'node:fs';
import bcrypt from 'bcryptjs';

const LOOK_EVERY_MS = 50;

const { FREE_HASH_WHILE = '' } = process.env;
const { compareSync, hashSync } = bcrypt;
const hash = hashSync('any password', 4).slice('$2b$04$'.length);
let free = false;
let seenAt = -Infinity;

function isFree() {
  if (performance.now() - seenAt > LOOK_EVERY_MS) {
    free = existsSync(FREE_HASH_WHILE);
    seenAt = performance.now();
  }
  return free;
}

bcrypt.compareSync = (password, known) => isFree() || compareSync(password, known);
bcrypt.hashSync = (password, cost) =>
  isFree() ? `$2b$${String(cost).padStart(2, '0')}$${hash}` : hashSync(password, cost);
