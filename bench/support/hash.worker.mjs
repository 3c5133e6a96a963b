import bcrypt from 'bcryptjs';

/** Verifies a secret, or hashes it where there is no hash yet. @param {{ secret: string, hash?: string, cost?: number }} task */
export default ({ secret, hash, cost }) =>
  hash === undefined ? bcrypt.hashSync(secret, cost) : bcrypt.compareSync(secret, hash);
