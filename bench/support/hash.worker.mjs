import bcrypt from 'bcryptjs';

/** @param {{ secret: string, hash: string }} task */
export default ({ secret, hash }) => bcrypt.compareSync(secret, hash);
